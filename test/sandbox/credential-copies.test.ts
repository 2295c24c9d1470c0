/** Copies of credential files in a sandbox: none is left when it stops, however it comes to that. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { diskHome, output, within } from './disk-home.ts';

const secret = 'a-token-that-no-snapshot-holds';
const disk = diskHome();
let copies = '';
afterEach(() => rmSync(copies, { recursive: true, force: true }));

function declared(more = ''): void {
  const { home, env } = disk.at;
  const inside = join(env['HOME'] ?? '', 'inside');
  copies = `/dev/shm/.caisson-credentials${inside.replaceAll('/', '-')}`;
  writeFileSync(join(home, 'token.json'), secret, { mode: 0o600 });
  const terminal = `terminal:\n  backend: disk\n  credential_files: [token.json]\n  credential_directory: ${inside}\n`;
  writeFileSync(join(home, 'config.yaml'), `${terminal}${more}exec:\n  lanes: false\n`, { mode: 0o600 });
}

/** Every file of the place that has the secret in it. */
function holding(): readonly string[] {
  const { root } = disk.at.place;
  mkdirSync(root, { recursive: true });
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path));
  return paths.filter((path) => statSync(path).isFile() && readFileSync(path, 'latin1').includes(secret));
}

const left = (): readonly string[] => (existsSync(copies) ? readdirSync(copies) : []);

it('a command reads its file in memory, and finds it again after a stop that removed it', async () => {
  declared();
  await within(disk.at, async (caisson) => {
    const read = 'cat "$CAISSON_CREDENTIALS/token.json" | wc -c';
    expect((await output(caisson, read)).trim()).toBe(String(secret.length));
    expect([left(), holding()]).toEqual([['token.json'], []]);
    await caisson.sandboxes.stop('demo');
    expect([left(), holding()]).toEqual([[], []]);
    expect((await output(caisson, read)).trim()).toBe(String(secret.length));
    await caisson.sandboxes.remove('demo');
    expect([left(), holding()]).toEqual([[], []]);
  });
});

it('a stop by the idle timeout removes them too', async () => {
  declared('  lifetime_seconds: 1\n');
  await within(disk.at, async (caisson) => {
    await caisson.run({ taskId: 'demo', command: ['true'] });
    expect(left()).toEqual(['token.json']);
    await new Promise((resolve) => setTimeout(resolve, 4_000)); // a use lingers
    await caisson.sandboxes.gc({ dryRun: false });
    expect((await caisson.sandboxes.list()).items).toMatchObject([{ state: 'stopped' }]);
    expect([left(), holding()]).toEqual([[], []]);
    await caisson.sandboxes.remove('demo');
  });
});
