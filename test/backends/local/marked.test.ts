import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { carries, endMarked, marked } from '../../../backends/local/marked.ts';

const mark = Buffer.from('CAISSON_SANDBOX=sbx_1');
const environ = (...entries: readonly string[]): Buffer => Buffer.from(entries.map((entry) => `${entry}\0`).join(''));

test('finds the mark as a whole entry, wherever it stands', () => {
  expect(carries(environ('CAISSON_SANDBOX=sbx_1'), mark)).toBe(true);
  expect(carries(environ('A=b', 'CAISSON_SANDBOX=sbx_1', 'C=d'), mark)).toBe(true);
  expect(carries(Buffer.from('A=b\0CAISSON_SANDBOX=sbx_1'), mark)).toBe(true);
});

test('is not misled by a longer id, a longer name or a value that holds the mark', () => {
  for (const entry of [
    'CAISSON_SANDBOX=sbx_12',
    'XCAISSON_SANDBOX=sbx_1',
    'X=CAISSON_SANDBOX=sbx_1',
    'X=\nCAISSON_SANDBOX=sbx_1',
  ]) {
    expect(carries(environ(entry), mark)).toBe(false);
  }
  expect(carries(environ('CAISSON_SANDBOX=sbx_12', 'CAISSON_SANDBOX=sbx_1'), mark)).toBe(true);
  expect(carries(Buffer.alloc(0), mark)).toBe(false);
});

test('agrees with splitting at NUL, for any environment', () => {
  const entry = fc.oneof(
    fc.constantFrom('CAISSON_SANDBOX=sbx_1', 'CAISSON_SANDBOX=sbx_', 'CAISSON_SANDBOX=sbx_11'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const bytes = environ(...entries);
      expect(carries(bytes, mark)).toBe(bytes.toString('latin1').split('\0').includes(mark.toString('latin1')));
    }),
  );
});

test(
  'ends processes that re-parented, lead sessions, ignore signals and multiply (RL-10, RL-12)',
  { timeout: 30_000 },
  async () => {
    const sandbox = `sbx_${randomBytes(8).toString('hex')}`;
    const text = [
      'setsid sleep 300 &',
      '(setsid nohup sleep 301 >/dev/null 2>&1 &)',
      'trap "" TERM INT HUP',
      '(while :; do sleep 302 & sleep 0.05; done) &',
      'echo up; wait',
    ].join('\n');
    const child = spawn('sh', ['-c', text], {
      env: { PATH: process.env['PATH'], CAISSON_SANDBOX: sandbox },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await once(child.stdout, 'data');
    const ended = once(child, 'exit');
    expect((await marked(sandbox)).length).toBeGreaterThanOrEqual(3);
    await endMarked(sandbox);
    await ended;
    child.stdout.destroy();
    expect(await marked(sandbox)).toEqual([]);
  },
);

test('leaves a neighbour alone, and does nothing when there is no process', async () => {
  const sandbox = `sbx_${randomBytes(8).toString('hex')}`;
  const neighbour = spawn('sleep', ['300'], {
    env: { PATH: process.env['PATH'], CAISSON_SANDBOX: `${sandbox}0` },
    stdio: 'ignore',
  });
  await once(neighbour, 'spawn');
  await endMarked(sandbox);
  expect(await marked(`${sandbox}0`)).toEqual([neighbour.pid]);
  await endMarked(`${sandbox}0`);
});
