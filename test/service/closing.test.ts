import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isCode } from '../../src/errors.ts';
import { openCaisson } from '../../src/main.ts';
import { eventually } from '../conformance/command.ts';

it('ends what runs, begins nothing more and leaves no process behind', { timeout: 60_000 }, async () => {
  const home = await mkdtemp(join(tmpdir(), 'caisson-closing-'));
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home, CAISSON_TERMINAL_BACKEND: 'local' };
  const caisson = await openCaisson({ home: join(home, 'caisson'), env, cwd: home });
  await caisson.run({ taskId: 'work', command: ['true'] });
  const ends = Array.from({ length: 24 }, async () => {
    try {
      return (await caisson.run({ taskId: 'work', command: ['sh', '-c', ': >"$HOME/begun.$$"; sleep 30'] })).exit
        .reason;
    } catch (error) {
      return isCode(error, 'canceled') ? 'not begun' : error;
    }
  });
  const begun = async (): Promise<number> => (await readdir(home)).filter((name) => name.startsWith('begun.')).length;
  await eventually(async () => (await begun()) > 0);
  await caisson.close();
  const reasons = await Promise.all(ends);
  expect(new Set(reasons)).toEqual(new Set(['canceled', 'not begun']));
  expect(await begun()).toBeLessThanOrEqual(reasons.filter((reason) => reason === 'canceled').length);
  expect(await eventually(async () => (await processesOf(home)).length === 0)).toBe(true);
  await rm(home, { recursive: true, maxRetries: 5 });
});

async function processesOf(home: string): Promise<readonly string[]> {
  const mark = `\0HOME=${home}\0`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const marked = pids.map(async (pid) =>
    `\0${await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')}`.includes(mark) ? [pid] : [],
  );
  return (await Promise.all(marked)).flat();
}
