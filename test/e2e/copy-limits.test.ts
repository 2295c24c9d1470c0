/** SEC-F13: what a copy out of a sandbox may bring is the caller's to limit. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeHome } from './home.ts';

it('cp --max-bytes and --max-files stop a copy, and leave nothing of it', { timeout: 60_000 }, async () => {
  await using home = await makeHome();
  await home.cli([
    'run',
    '-q',
    '--task',
    'work',
    '--',
    'sh',
    '-c',
    'mkdir /tmp/d; cd /tmp/d; head -c 3000000 /dev/zero >a; : >b; : >c',
  ]);
  const target = mkdtempSync(join(tmpdir(), 'caisson-copied-'));
  onTestFinished(() => rmSync(target, { recursive: true }));
  for (const limit of [
    ['--max-bytes', '1m'],
    ['--max-files', '2'],
  ]) {
    const { code, stderr } = await home.cli(['cp', ...limit, 'work:/tmp/d', target]);
    expect([code, stderr]).toEqual([125, expect.stringContaining('copy from the sandbox refused')]);
    expect(readdirSync(target)).toEqual([]);
  }
  expect((await home.cli(['cp', '--max-bytes', '4m', '--max-files', '10', 'work:/tmp/d', target])).code).toBe(0);
  expect(readdirSync(join(target, 'd')).toSorted()).toEqual(['a', 'b', 'c']);
});
