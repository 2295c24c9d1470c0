/** A state directory on a disk without an inode leaves the way out open. The disk is mounted where the process alone sees it. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { compiled } from '../compiled.ts';
import { containing } from '../matchers.ts';

const program = fileURLToPath(new URL('inodes.process.ts', import.meta.url));
const small = 'mount -t tmpfs -o nr_inodes=400,size=200m tmpfs "$1" && exec "$2" "$3" "$1"';

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const refused = { code: 'resource_exhausted', message: containing('inodes'), remedy: containing('`caisson rm`') };

/** What works and what is refused on the full disk. */
const onFull = (items: number, [stopped, removed]: readonly [string, string]) => [
  ['list', items],
  ['exec', refused],
  ['create', refused],
  [`stop ${stopped}`, null],
  [`rm ${removed}`, null],
  ['gc', 0],
];

it(
  'without a free inode sandboxes are listed, stopped and removed, and nothing is started',
  { timeout: 60_000 },
  async ({ skip }) => {
    if (!mayMount()) skip('no mount namespaces for this user');
    const disk = await mkdtemp(join(tmpdir(), 'caisson-inodes-'));
    try {
      const env = { ...compiled, PATH: process.env['PATH'], HOME: disk, CAISSON_TERMINAL_BACKEND: 'local' };
      const words = ['-rm', 'sh', '-c', small, 'sh', disk, process.execPath, program];
      const { stdout } = await promisify(execFile)('unshare', words, {
        env: { ...env, CAISSON_SECURITY_TIRITH_ENABLED: 'false' },
      });
      expect(JSON.parse(stdout)).toEqual([
        ...Array.from({ length: 5 }, () => ['run', 0]),
        ['reserve', 32],
        ...onFull(5, ['a', 'b']),
        // In a process that runs the files of the database are there already.
        ['reserve after use', true],
        ['reserve after an opening', false],
        ...onFull(4, ['c', 'd']),
        ['run with room', 0],
      ]);
    } finally {
      await rm(disk, { recursive: true });
    }
  },
);
