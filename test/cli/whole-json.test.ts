/** JSON that is longer than a pipe holds: it is whole, and says where output is left out. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { bin, scratch, start } from './process.ts';

const numbers = (last: number): string => Array.from({ length: last }, (_, at) => `${at + 1}\n`).join('');

/** The reader comes late, and the process must not end before it. */
async function ran(last: number, config: string): Promise<{ readonly stdout: { readonly text: string } }> {
  await using at = await scratch();
  const home = join(at.path, 'home');
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, 'config.yaml'), `terminal: {backend: local}\n${config}`, { mode: 0o600 });
  const words = [bin, 'run', '--home', home, '--json', '--', 'seq', '1', String(last)];
  const { child, ended } = start(process.execPath, words, at.env);
  child.stdin?.end();
  child.stdout?.pause();
  await delay(2000);
  child.stdout?.resume();
  return JSON.parse((await ended).stdout);
}

it('JSON of half a megabyte is whole for a reader that comes late', async () => {
  const { stdout } = await ran(100_000, 'exec: {output_bytes: 1000000}\n');
  expect(stdout).toMatchObject({ truncated: false, omittedBytes: 0, cutAt: null });
  expect(stdout.text).toBe(numbers(100_000));
});

it('JSON says how much of long output is left out, and where', async () => {
  const { stdout } = await ran(20_000, '');
  const whole = numbers(20_000);
  expect(stdout).toMatchObject({ truncated: true, bytes: whole.length, omittedBytes: whole.length - 50_000 });
  expect(stdout.text).toContain(`\n[... ${whole.length - 50_000} bytes are left out here ...]\n`);
});
