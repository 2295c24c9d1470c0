import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collect } from '../../src/exec/collect.ts';
import { signalNumbers } from '../../src/values/exit.ts';
import { startExec } from '../../src/exec/start.ts';
import type { CheckedRequest } from '../../src/exec/request.ts';
import { bare, requestFor, shell } from './requests.ts';
import { spawnedSandbox } from './spawned-sandbox.ts';

const sandbox = spawnedSandbox();

async function run(request: CheckedRequest, keepBytes = 10_000) {
  return await collect(await startExec(sandbox, request, bare), { keepBytes });
}

describe('a command of this machine', () => {
  it('gives its exit code and both streams', async () => {
    const { exit, stdout, stderr } = await run(shell('echo out; echo err >&2; exit 3'));
    expect([exit.reason, exit.exitCode, stdout.text, stderr.text]).toEqual(['exited', 3, 'out\n', 'err\n']);
  });

  it.each([0, 1, 125, 126, 127, 128, 137, 255])('gives exit code %i as it is (OH-10)', async (code) => {
    expect((await run(shell(`exit ${code}`))).exit).toMatchObject({ reason: 'exited', exitCode: code });
  });

  it.each(['HUP', 'KILL', 'SEGV', 'TERM', 'USR1'])('gives the signal %s (OH-10)', async (name) => {
    expect((await run(shell(`ulimit -c 0; kill -${name} $$`))).exit).toMatchObject({
      reason: 'signaled',
      exitCode: 128 + (signalNumbers[`SIG${name}`] ?? 0),
      signal: `SIG${name}`,
      signalGuessed: false,
    });
  });

  it('carries its id in its environment, also over one that the caller set', async () => {
    const request = requestFor(['sh', '-c', 'printf %s "$CAISSON_EXEC"'], { env: { CAISSON_EXEC: 'exec_other' } });
    expect((await run(request)).stdout.text).toBe(request.execId);
  });

  it('settles soon when a child holds its streams (RL-11)', async () => {
    const from = performance.now();
    const { exit, stdout } = await run(shell('sleep 3 & echo done'));
    expect(performance.now() - from).toBeLessThan(2500);
    expect([stdout.text, exit.exitCode, exit.backgroundOpen]).toEqual(['done\n', 0, true]);
  });

  it('takes input, and does not mind a command that closes it early (OH-14)', async () => {
    const counting = await startExec(sandbox, requestFor(['wc', '-c'], { stdin: true }), bare);
    counting.stdin?.end(Buffer.alloc(1_000_000));
    expect((await collect(counting, { keepBytes: 100 })).stdout.text.trim()).toBe('1000000');
    const deaf = await startExec(sandbox, requestFor(['true'], { stdin: true }), bare);
    deaf.stdin?.write(Buffer.alloc(10_000_000), () => {});
    expect((await collect(deaf, { keepBytes: 100 })).exit.exitCode).toBe(0);
  });

  it('is stopped by a reader that stops, and killed at its deadline all the same (OH-03)', async () => {
    const execution = await startExec(sandbox, requestFor(['yes'], { timeoutMs: 300 }), bare);
    const exit = await execution.exit;
    expect(exit).toMatchObject({ reason: 'timed-out', survivors: [] });
    expect(exit.stdout.bytes).toBeLessThan(8 * 1024 * 1024);
  });

  it('is killed when it writes more than it may (OH-02)', async () => {
    const { exit, stdout } = await run(requestFor(['yes'], { outputLimitBytes: 1_000_000 }), 100);
    expect(exit).toMatchObject({ reason: 'output-limit', stdout: { truncated: true }, survivors: [] });
    const mark = (stdout.cutTo ?? 0) - (stdout.cutAt ?? 0);
    expect([stdout.bytes, stdout.text.length - mark]).toEqual([1_000_000, 100]);
  });

  it('is canceled with its whole tree', async () => {
    const execution = await startExec(sandbox, shell('sleep 600 & sleep 600'), bare);
    await sleep(50);
    await execution.cancel();
    expect(await execution.exit).toMatchObject({ reason: 'canceled', survivors: [] });
  });
});
