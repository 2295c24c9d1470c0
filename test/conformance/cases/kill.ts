import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Process, Sandbox } from '../../../src/backend.ts';
import { eventually, expectEndedBy, finish, isAlive, readUntil, run, start } from '../command.ts';
import type { Suite } from '../suite.ts';

export function killCases(suite: Suite): void {
  const { kill } = suite.place.guarantees;

  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP'] as const) {
    suite.test(`kill.${signal.toLowerCase()}`, `ends a running command by ${signal}`, async (place) => {
      const process = await started(await place.sandbox());
      await process.kill(signal);
      expectEndedBy(await finish(process), signal);
    });
  }

  suite.test('kill.at-once', 'is not lost when it comes right after the start', async (place) => {
    const sandbox = await place.create();
    for (let round = 0; round < 6; round += 1) {
      const process = await start(sandbox, ['sleep', '300']);
      await process.kill('SIGKILL');
      const end = await Promise.race([finish(process), sleep(10_000, null)]);
      if (end === null) throw new Error(`the command of round ${round} runs on`);
      expectEndedBy(end, 'SIGKILL');
    }
    await place.destroy(sandbox);
  });

  suite.test('kill.trapped', 'delivers a signal that the command handles (RL-12)', async (place) => {
    const text = 'trap "echo caught; exit 9" TERM; echo ready; while :; do sleep 0.1; done';
    const process = await start(await place.sandbox(), ['sh', '-c', text]);
    await readUntil(process.stdout, 'ready\n');
    await process.kill('SIGTERM');
    expect(await finish(process)).toMatchObject({ exitCode: 9, stdout: Buffer.from('caught\n') });
  });

  suite.test('kill.ignored', 'cannot be ignored as SIGKILL', async (place) => {
    const process = await start(await place.sandbox(), [
      'sh',
      '-c',
      'trap "" TERM INT HUP; echo ready; while :; do sleep 0.1; done',
    ]);
    await readUntil(process.stdout, 'ready\n');
    await process.kill('SIGTERM');
    const early = await Promise.race([process.wait().then(() => 'ended'), sleep(500).then(() => 'running')]);
    expect(early).toBe('running');
    await process.kill('SIGKILL');
    expectEndedBy(await finish(process), 'SIGKILL');
  });

  suite.test('kill.ended', 'does nothing, twice, when the command has ended', async (place) => {
    const process = await start(await place.sandbox(), ['sh', '-c', 'exit 5']);
    expect((await finish(process)).exitCode).toBe(5);
    await process.kill('SIGTERM');
    await process.kill('SIGKILL');
    expect((await process.wait()).exitCode).toBe(5);
  });

  suite.test('kill.twice', 'may be sent several times at once', async (place) => {
    const process = await started(await place.sandbox());
    await Promise.all([process.kill('SIGKILL'), process.kill('SIGKILL'), process.kill('SIGTERM')]);
    expect((await finish(process)).exitCode).not.toBe(0);
  });

  suite.test('kill.gone', 'does nothing when the sandbox is gone', async (place) => {
    const sandbox = await place.create();
    const process = await start(sandbox, ['sleep', '300']);
    await place.destroy(sandbox);
    await process.kill('SIGKILL');
    process.release();
  });

  suite.test('kill.others', 'leaves other commands of the sandbox alone', async (place) => {
    const sandbox = await place.sandbox();
    const [first, second] = [
      await started(sandbox),
      await start(sandbox, ['sh', '-c', 'echo up; read -r x; echo "$x"'], { keepStdin: true }),
    ];
    await readUntil(second.stdout, 'up\n');
    await first.kill('SIGKILL');
    await finish(first);
    second.stdin?.end('still here\n');
    expect((await finish(second)).stdout.toString()).toBe('still here\n');
  });

  if (kill !== 'process') {
    suite.test('kill.group', 'reaches the children of the command', async (place) => {
      const sandbox = await place.sandbox();
      const process = await start(sandbox, ['sh', '-c', 'sleep 300 & echo $!; wait']);
      const child = Number(await readUntil(process.stdout, '\n'));
      await process.kill('SIGKILL');
      await finish(process);
      expect(await eventually(async () => !(await isAlive(sandbox, child)))).toBe(true);
    });
  }

  if (kill === 'tree') {
    suite.test('kill.tree', 'reaches a child in a session of its own', async (place) => {
      const sandbox = await place.sandbox();
      const process = await start(sandbox, ['sh', '-c', 'setsid sh -c "echo \\$\\$; exec sleep 300" & wait']);
      const child = Number(await readUntil(process.stdout, '\n'));
      await process.kill('SIGKILL');
      await finish(process);
      expect(await eventually(async () => !(await isAlive(sandbox, child)))).toBe(true);
    });
  }

  suite.test('kill.unknown', 'refuses a signal that does not exist', async (place) => {
    const sandbox = await place.sandbox();
    const process = await started(sandbox);
    await expect(process.kill('SIGNONSENSE')).rejects.toMatchObject({ code: 'invalid_argument' });
    await process.kill('SIGKILL');
    await finish(process);
    expect((await run(sandbox, ['true'])).exitCode).toBe(0);
  });
}

/** Surely beyond its start. */
async function started(sandbox: Sandbox): Promise<Process> {
  const process = await start(sandbox, ['sh', '-c', 'echo up; exec sleep 300']);
  await readUntil(process.stdout, 'up\n');
  return process;
}
