/** Which commands go through lanes, by what lives in the sandbox beside them. The kernel's word is the test's. */
import { expect, it } from 'vitest';
import type { Sandbox, SandboxProcess } from '../../../src/backend.ts';
import { LanedSandbox } from '../../../src/exec/lane/laned.ts';
import { LaneTally } from '../../../src/exec/lane/tally.ts';
import { run, start } from '../../conformance/command.ts';
import { spawnedSandbox } from '../spawned-sandbox.ts';

const stranger: SandboxProcess = { pid: 44, parent: 1, session: 44, isHalted: false };

function place(listed: () => readonly SandboxProcess[]) {
  const tally = new LaneTally();
  const processes = {
    list: async () => await Promise.resolve(listed()),
    details: async () => await Promise.resolve([]),
  };
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
  return { laned, ways };
}

it('secrets go past lanes, unless the kernel keeps processes from the memory of others', async () => {
  const { laned, ways } = place(() => []);
  expect(await ways(3)).toBe('2 lane, 1 direct');
  expect(await ways(2, true)).toBe('0 lane, 2 direct');
  laned.protectMemory();
  expect(await ways(2, true)).toBe('2 lane, 0 direct');
  laned.close();
});

it('commands go past lanes beside a process that was left behind, and through lanes beside a command that runs', async () => {
  let listed: readonly SandboxProcess[] = [];
  const { laned, ways } = place(() => listed);
  await ways(2);
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
