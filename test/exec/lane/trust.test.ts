/** Which commands go through lanes, by what lives in the sandbox beside them. The kernel's word is the test's. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, type Mock, vi } from 'vitest';
import type { Process, ProcessDetails, Sandbox, SandboxProcess } from '../../../src/backend.ts';
import { collect } from '../../../src/exec/collect.ts';
import { sinceBoot } from '../../../src/exec/kill/strays.ts';
import { LanedSandbox } from '../../../src/exec/lane/laned.ts';
import { LaneTally } from '../../../src/exec/lane/tally.ts';
import { startExec } from '../../../src/exec/start.ts';
import { finish, run, start } from '../../conformance/command.ts';
import { bare, shell } from '../requests.ts';
import { spawnedSandbox } from '../spawned-sandbox.ts';

const stranger: SandboxProcess = { pid: 44, parent: 1, session: 44, isHalted: false };

/** Longer than a look at the processes holds where no command begins. */
const lookHeldMs = 20;

function place(listed: () => readonly SandboxProcess[], detailed: () => readonly ProcessDetails[] = () => []) {
  const tally = new LaneTally();
  const list = vi.fn<() => Promise<readonly SandboxProcess[]>>(async () => await Promise.resolve(listed()));
  const processes = { list, details: async () => await Promise.resolve(detailed()) };
  const sandbox: Sandbox = { ...spawnedSandbox(), processes };
  const laned = new LanedSandbox(sandbox, null, { tally });
  const ways = async (count: number, confidential = false): Promise<string> => {
    const before = { ...tally };
    for (let index = 0; index < count; index += 1) {
      const process = await laned.exec(['true'], { cwd: '/', env: {}, stdin: false, confidential });
      for (const stream of [process.stdout, process.stderr]) stream.resume();
      await process.wait();
      await process.outputs();
    }
    return `${tally.lane - before.lane} lane, ${tally.direct - before.direct} direct`;
  };
  return { laned, ways, list };
}

it('secrets go past lanes, unless the kernel keeps processes from the memory of others', async () => {
  const { laned, ways } = place(() => []);
  expect(await ways(3)).toBe('2 lane, 1 direct');
  expect(await ways(2, true)).toBe('0 lane, 2 direct');
  laned.heedMemory('protected');
  expect(await ways(2, true)).toBe('2 lane, 0 direct');
  laned.close();
});

it('commands go past lanes beside a process that was left behind, and through lanes beside a command that runs', async () => {
  let listed: readonly SandboxProcess[] = [];
  const { laned, ways } = place(() => listed);
  await ways(2);
  await sleep(lookHeldMs);
  listed = [stranger];
  expect(await ways(2)).toBe('0 lane, 2 direct');
  const running = await start(laned, ['cat'], { keepStdin: true });
  expect(await ways(2)).toBe('2 lane, 0 direct');
  running.stdin?.end();
  for (const stream of [running.stdout, running.stderr]) stream.resume();
  await running.wait();
  expect(await ways(1)).toBe('0 lane, 1 direct');
  expect((await run(laned, ['echo', 'x'])).stdout.toString()).toBe('x\n');
  laned.close();
});

/** The time stands still but for what a test adds, so that a look holds however slow this machine is. */
function stoppedClock() {
  let now = performance.now();
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now);
  return { pass: (ms: number) => void (now += ms), [Symbol.dispose]: () => spy.mockRestore() };
}

/** Ends a command and waits for the look after it. */
async function looked(process: Process, list: Mock): Promise<void> {
  const before = list.mock.calls.length;
  await finish(process);
  await expect.poll(() => list.mock.calls.length).toBe(before + 1);
}

it('a look after a command holds for one that begins at once, and until any has begun', async () => {
  let listed: readonly SandboxProcess[] = [];
  using clock = stoppedClock();
  const { laned, ways, list } = place(() => listed);
  await ways(1);
  const looksBefore = async (): Promise<number> => {
    const before = list.mock.calls.length;
    const process = await start(laned, ['true']);
    const looks = list.mock.calls.length - before;
    await looked(process, list);
    return looks;
  };
  await looksBefore();
  expect(await looksBefore()).toBe(0);
  clock.pass(lookHeldMs);
  expect(await looksBefore()).toBe(1);
  await run(laned, ['cat'], { stdin: 'of a command that leaves a process behind' });
  listed = [stranger];
  expect(await ways(1)).toBe('0 lane, 1 direct');
  laned.close();
});

it('a look that holds shows what lived before the command, for its kill', async () => {
  using clock = stoppedClock();
  const started: ProcessDetails = { ...stranger, mark: null, name: 'left', startedAtMs: sinceBoot(performance.now()) };
  const { laned, ways, list } = place(
    () => [],
    () => [started],
  );
  const isUnsure = async (): Promise<boolean | undefined> => {
    const process = await start(laned, ['true']);
    const strays = await laned.strays(performance.now())?.look();
    await looked(process, list);
    return strays?.find(({ pid }) => pid === stranger.pid)?.isUnsure;
  };
  await ways(1);
  await isUnsure();
  const before = list.mock.calls.length;
  clock.pass(1);
  expect(await isUnsure()).toBe(false);
  expect(list.mock.calls.length - before).toBe(1);
  laned.close();
});

it('the first exit of a command with secrets tells that it went past lanes for the memory of the sandbox alone', async () => {
  let listed: readonly SandboxProcess[] = [];
  const { laned, ways } = place(() => listed);
  const notes = async (stdin = false): Promise<readonly string[]> => {
    const running = await startExec(laned, shell('cat', { confidential: true, stdin }), bare);
    running.stdin?.end();
    return (await collect(running, { keepBytes: 100 })).exit.notes;
  };
  await ways(2);
  expect(await notes()).toEqual([]);
  laned.heedMemory('open');
  expect(await notes(true)).toEqual([]);
  await sleep(lookHeldMs);
  listed = [stranger];
  await ways(1);
  expect(await notes()).toEqual([]);
  listed = [];
  await ways(1);
  expect(await notes()).toEqual([expect.stringMatching(/^it went past lanes, .*kernel\.yama\.ptrace_scope=1/)]);
  expect(await notes()).toEqual([]);
  laned.close();
});
