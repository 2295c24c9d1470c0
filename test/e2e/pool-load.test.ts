/** Claims by several processes, more at once than stand ready, and a pool that is filled again behind them. `scripts/load.ts` has it in full. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { report } from '../counts.ts';
import { type Home, makeHome } from './home.ts';
import { claimOne, type TaskClaim } from './pool-claims.ts';
import { onPlace, openPooled } from './pool-places.ts';

const worker = fileURLToPath(new URL('pool-worker.ts', import.meta.url));
const numbersOf = (name: string, usual: string): readonly number[] =>
  (process.env[name] ?? usual).split('x').map(Number);
const [standing = 0, claims = 0, processes = 1] = numbersOf('CAISSON_LOAD_POOL', '3x6x2');
const [ready = 0, atOnce = 0] = numbersOf('CAISSON_LOAD_POOL_BURST', '2x4');
const seconds = Number(process.env['CAISSON_LOAD_POOL_SECONDS'] ?? 2);
const patience = { timeout: 60_000 + (claims + atOnce + seconds) * 5_000 };

const open = async (home: Home, size: number): Promise<Caisson> =>
  await openPooled(home, await onPlace('docker'), {
    backend: 'docker',
    entries: `one: {size: ${size}}`,
  });

const hits = (made: readonly TaskClaim[]): number => made.filter(({ pool }) => pool === 'pool').length;

/** Each has a sandbox of its own, in which nothing was before its command. */
function expectOwn(made: readonly TaskClaim[], count: number): void {
  expect(new Set(made.map(({ sandboxId }) => sandboxId)).size).toBe(count);
  expect(made.map(({ printed }) => printed)).toEqual(made.map(({ taskId }) => `${taskId}\n`));
}

it(`${processes} processes take ${standing} members, and no sandbox twice`, patience, async () => {
  await using home = await makeHome();
  const caisson = await open(home, standing);
  expect((await caisson.pool.fill())[0]?.ready).toBe(standing);
  const each = Math.ceil(claims / processes);
  const workers = await Promise.all(Array.from({ length: processes }, (_, index) => startWorker(home, index, each)));
  const made = (await Promise.all(workers.map(async (one) => await one.claims()))).flat();
  expectOwn(made, each * processes);
  expect(hits(made)).toBe(Math.min(standing, each * processes));
  report({ claims: made.length, processes, hits: hits(made) });
  expect((await caisson.pool.list())[0]?.ready).toBe(standing - hits(made));
  await caisson.pool.drain();
});

it(`${atOnce} tasks at once get ${ready} members and ${atOnce - ready} new sandboxes`, patience, async () => {
  await using home = await makeHome();
  const caisson = await open(home, ready);
  await caisson.pool.fill();
  const tasks = Array.from({ length: atOnce }, (_, index) => `burst-${index}`);
  const made = await Promise.all(tasks.map(async (taskId) => await claimOne(caisson, taskId)));
  expectOwn(made, atOnce);
  expect([hits(made), made.length - hits(made)]).toEqual([ready, atOnce - ready]);
  report({ atOnce, hits: hits(made) });
});

it(`a pool that is filled again serves 2 claims a second for ${seconds} s`, patience, async () => {
  await using home = await makeHome();
  const caisson = await open(home, 4);
  await caisson.pool.fill();
  caisson.pool.keep();
  const running: Promise<TaskClaim>[] = [];
  for (let index = 0; index < seconds * 2; index += 1) {
    running.push(claimOne(caisson, `steady-${index}`));
    await sleep(500);
  }
  const made = await Promise.all(running);
  expectOwn(made, made.length);
  report({ claims: made.length, hits: hits(made) });
  expect(hits(made) / made.length).toBeGreaterThanOrEqual(0.95);
});

async function startWorker(home: Home, index: number, count: number) {
  const child: ChildProcess = spawn(process.execPath, [worker, home.path, `worker-${index}`, String(count)], {
    env: home.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.stdout === null || child.stdin === null) throw new Error('the worker has no streams');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    claims: async (): Promise<readonly TaskClaim[]> => {
      const exited = once(child, 'exit');
      child.stdin?.end('go\n');
      const made: readonly TaskClaim[] = JSON.parse(String((await lines.next()).value));
      await exited;
      return made;
    },
  };
}
