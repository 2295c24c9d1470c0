import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { Process } from '../../../src/backend.ts';
import { deathNotice } from '../../../src/exec/lane/guardian.ts';
import { Lanes } from '../../../src/exec/lane/pool.ts';
import { laneStart } from '../../../src/exec/lane/script.ts';
import { newNonce } from '../../../src/exec/random.ts';
import { finish } from '../../conformance/command.ts';
import { spawnedSandbox } from '../spawned-sandbox.ts';
import { alone } from './shells.ts';

const sandbox = spawnedSandbox();
const maxLanes = 16;
/** When the shell that reads it was started, in ticks since the boot. */
const birth = 'read -r stat </proc/$$/stat; set -- ${stat##*) }; echo ${20}';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function run(lanes: Lanes, text: string): Promise<string> {
  const process = await lanes.exec({ command: ['sh', '-c', text], cwd: '/', env: {} });
  if (process === null) throw new Error('it did not go through a lane');
  return (await finish(process)).stdout.toString();
}

it('as many lanes are there as the load wants, within bounds', { timeout: 60_000 }, async () => {
  const lanes = new Lanes((command, options) => sandbox.exec(command, options));
  for (let index = 0; index < 20; index += 1) await run(lanes, 'true');
  expect(lanes.size).toBeLessThanOrEqual(2);
  const many = Array.from({ length: 60 }, (_, index) => run(lanes, `sleep 0.3; echo ${index}`));
  const seen: number[] = [];
  const watch = setInterval(() => seen.push(lanes.size), 20);
  expect(await Promise.all(many)).toEqual(many.map((_, index) => `${index}\n`));
  clearInterval(watch);
  expect(Math.max(...seen)).toBeGreaterThan(2);
  expect(Math.max(...seen)).toBeLessThanOrEqual(maxLanes);
  lanes.close();
  expect(lanes.size).toBe(0);
});

it('no process is there for the next command in lanes that stand by', async () => {
  const lanes = new Lanes((command, options) => sandbox.exec([...alone, ...command], options));
  lanes.idle.standsBy = true;
  await run(lanes, 'true');
  await sleep(200);
  const ticks = Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 100;
  expect(Number(await run(lanes, birth))).toBeGreaterThanOrEqual(ticks - 5);
  lanes.close();
});

it('a command that comes after a while is run by a process that was there before, where the shell can become it', async () => {
  const lanes = new Lanes((command, options) => sandbox.exec([...alone, ...command], options));
  const isBash = (await run(lanes, 'echo "$BASH_VERSION"')) !== '\n';
  await sleep(200);
  const ticks = Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 100;
  const born = Number(await run(lanes, birth));
  expect(born < ticks - 5).toBe(!isBash);
  lanes.close();
});

it('no caller waits for lanes whose commands do not end', { timeout: 60_000 }, async () => {
  const lanes = new Lanes((command, options) => sandbox.exec(command, options));
  await run(lanes, 'true');
  const long = Array.from({ length: maxLanes }, () => lanes.exec({ command: ['sleep', '50'], cwd: '/', env: {} }));
  const processes = await Promise.all(long);
  const from = performance.now();
  expect(await lanes.exec({ command: ['true'], cwd: '/', env: {} })).toBeNull();
  expect(performance.now() - from).toBeLessThan(6_000);
  for (const process of processes) await process?.kill('SIGKILL');
  expect(await run(lanes, 'echo again')).toBe('again\n');
  lanes.close();
});

it('unused lanes are closed, their shells end, and the next command opens one again', { timeout: 60_000 }, async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const shells: Process[] = [];
  const lanes = new Lanes(async (command, options) => {
    const process = await sandbox.exec(command, options);
    shells.push(process);
    return process;
  });
  await run(lanes, 'true');
  vi.advanceTimersByTime(30_000);
  expect(lanes.size).toBe(1);
  const now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now + 61_000);
  vi.advanceTimersByTime(30_000);
  vi.restoreAllMocks();
  expect(lanes.size).toBe(0);
  expect(await shells[0]?.wait()).toMatchObject({ exitCode: expect.anything() });
  expect(await run(lanes, 'echo again')).toBe('again\n');
  expect(shells).toHaveLength(2);
  lanes.close();
});

it('lanes that stand by stay open, and are closed as others once they do not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const opened: Process[] = [];
  const lanes = new Lanes(async (command, options) => {
    opened.push(await sandbox.exec(command, options));
    return opened.at(-1) ?? expect.unreachable();
  });
  lanes.idle.standsBy = true;
  await run(lanes, 'true');
  const now = performance.now();
  const later = (ms: number): void => {
    vi.spyOn(performance, 'now').mockImplementation(() => now + ms);
    vi.advanceTimersByTime(30_000);
    vi.restoreAllMocks();
  };
  later(3_600_000);
  expect(lanes.size).toBe(1);
  expect(await run(lanes, 'echo first')).toBe('first\n');
  expect(opened).toHaveLength(1);
  lanes.idle.standsBy = false;
  later(61_000);
  expect(lanes.size).toBe(0);
  lanes.close();
});

it.each([
  ['started', (close: () => void): void => close()],
  ['about to say hello', (close: () => void): void => void setImmediate(close)],
] as const)('a lane that is being %s when all are closed is closed too', async (_, soon) => {
  const shells: Process[] = [];
  const lanes: Lanes = new Lanes(async (command, options) => {
    const process = await sandbox.exec(command, options);
    shells.push(process);
    soon(() => lanes.close());
    return process;
  });
  expect(await lanes.exec({ command: ['true'], cwd: '/', env: {} })).toBeNull();
  expect(await shells[0]?.wait()).toBeDefined();
  expect(lanes.size).toBe(0);
});

it('a lane of the first process serves until the sandbox is in use, where those that are opened are faster', async () => {
  const opened: string[] = [];
  const lanes = new Lanes((command, options) => {
    opened.push(command[0]);
    return sandbox.exec(command, options);
  });
  const nonce = newNonce();
  const { command } = laneStart(nonce);
  const init = await sandbox.exec(command, { cwd: '/', env: {}, stdin: true });
  const ended = init.wait();
  lanes.adopt(init, deathNotice(nonce), { forGood: false });
  const shellOf = (): Promise<string> => run(lanes, 'echo $PPID');
  lanes.idle.standsBy = true; // what is run before a task has it does not count
  const first = await shellOf();
  for (let index = 0; index < 4; index += 1) expect([await shellOf(), opened]).toEqual([first, []]);
  lanes.idle.standsBy = false;
  expect([await shellOf(), opened]).toEqual([first, []]);
  await vi.waitUntil(async () => (await shellOf()) !== first);
  expect(await ended).toMatchObject({ exitCode: 77 });
  expect([opened, lanes.size]).toEqual([['sh'], 1]);
  lanes.close();
});
