import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { KillConversation, type KillMode } from '../../../src/exec/kill/conversation.ts';
import { killTree } from '../../../src/exec/kill/kill-tree.ts';
import { startExec } from '../../../src/exec/start.ts';
import type { Execution } from '../../../src/exec/types.ts';
import { bare, newExecId, requestFor, shell } from '../requests.ts';
import { ScriptedProcess, scriptedSandbox } from '../scripted.ts';
import { spawnedSandbox } from '../spawned-sandbox.ts';
import { processesWith } from './processes.ts';
import { shellDirectory, shells } from './shells.ts';

/** Names of this run, found in command lines whatever became of the environment. */
function marks(count: number): string[] {
  return Array.from({ length: count }, () => String(Math.floor(1e8 + Math.random() * 9e8)));
}

const running: Execution[] = [];

async function started(sandbox: Sandbox, text: string, execId = newExecId()): Promise<Execution> {
  const execution = await startExec(sandbox, shell(text, { execId }), bare);
  execution.ignore();
  running.push(execution);
  return execution;
}

async function until(check: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !check(); i++) await sleep(10);
  expect(check()).toBe(true);
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((execution) => execution.cancel()));
});

describe.each(shells)('in a sandbox whose sh is %s', (name) => {
  const directory = shellDirectory(name);
  const sandbox = spawnedSandbox(directory.path);
  afterAll(() => directory.remove());

  it.each<[string, (m: string[]) => string]>([
    ['plain children', ([a, b]) => `sleep ${a} & sleep ${b}`],
    ['children in sessions of their own', ([a, b]) => `setsid sleep ${a} & sleep ${b}`],
    ['children that lost their parents', ([a, b]) => `(setsid nohup sleep ${a} >/dev/null 2>&1 &) ; sleep ${b}`],
    ['children without an environment', ([a, b]) => `env -i sleep ${a} & (env -i sleep ${a} &) ; sleep ${b}`],
    [
      'what ignores SIGTERM (RL-12)',
      ([a, b]) => `trap '' TERM INT HUP; sleep ${a} & setsid sleep ${b} & while :; do sleep ${a}; done`,
    ],
    [
      'what left an orphan without an environment when it got SIGTERM',
      ([a, b]) => `sh -c 'trap "" TERM; exec env -i sleep ${a}' & sleep ${b}`,
    ],
    [
      'a chain that forks itself away',
      ([a, b]) => `f() { setsid sh -c "sleep 0.01; exec sh -c '$0'" "$1" & }; sleep ${a} & sleep ${b}; f x`,
    ],
  ])('kills %s (RL-10)', async (_what, text) => {
    const [a = '', b = ''] = marks(2);
    const execution = await started(sandbox, text([a, b]));
    await until(() => [a, b].every((mark) => processesWith(`sleep\0${mark}`).length > 0));
    await execution.cancel();
    expect([a, b].flatMap(processesWith)).toEqual([]);
    expect(await execution.exit).toMatchObject({ reason: 'canceled', survivors: [] });
  });

  it('kills a command that cleared its own environment', async () => {
    const [a = ''] = marks(1);
    const execution = await startExec(sandbox, requestFor(['env', '-i', 'sleep', a], { timeoutMs: 200 }), bare);
    expect(await execution.exit).toMatchObject({ reason: 'timed-out', signal: 'SIGTERM', survivors: [] });
    expect(processesWith(a)).toEqual([]);
  });

  it('leaves a neighbour alone, also one whose id begins with the same letters', async () => {
    const [a = '', b = ''] = marks(2);
    const id = newExecId();
    const victim = await started(sandbox, `sleep ${a}`, id);
    const neighbour = await started(sandbox, `sleep ${b}`, `${id}x`);
    await until(() => [a, b].every((mark) => processesWith(`sleep\0${mark}`).length > 0));
    await victim.cancel();
    expect(processesWith(a)).toEqual([]);
    expect(processesWith(`sleep\0${b}`)).toHaveLength(1);
    await neighbour.cancel();
    expect(processesWith(b)).toEqual([]);
  });

  it('kills a hundred processes', async () => {
    const [a = ''] = marks(1);
    const execution = await started(sandbox, `i=0; while [ $i -lt 100 ]; do sleep ${a} & i=$((i+1)); done; wait`);
    await until(() => processesWith(`sleep\0${a}`).length === 100);
    await execution.cancel();
    expect(processesWith(a)).toEqual([]);
  });

  it.each<KillMode>(['grep', 'plain'])('names who is there, whatever they call themselves (%s)', async (mode) => {
    const hostile = mkdtempSync(join(tmpdir(), 'caisson-names-'));
    const names = ['x) Z 1 1 1', 'a\nb (c) S 0', '\u001b[31mred'];
    const id = newExecId();
    const executions = [];
    for (const each of names) {
      copyFileSync('/bin/sleep', join(hostile, each));
      executions.push(await startExec(sandbox, requestFor([join(hostile, each), '600'], { execId: id }), bare));
    }
    const script = await KillConversation.start(sandbox, id, mode);
    expect(await script.ask('scan')).toEqual({ count: 3, lines: [] });
    const { lines } = await script.ask('list');
    expect(lines.map((line) => line.replace(/^\d+ /, '')).sort()).toEqual(['\u001b[31mred', 'a', 'x) Z 1 1 1']);
    // A killed process is there for a moment longer on a busy machine.
    await expect.poll(async () => (await script.ask('kill')).count, { timeout: 20_000 }).toBe(0);
    script.close();
    for (const { exit } of executions) expect(await exit).toMatchObject({ reason: 'signaled', signal: 'SIGKILL' });
    rmSync(hostile, { recursive: true });
  });

  it('finds itself nowhere', async () => {
    const id = newExecId();
    const script = await KillConversation.start(sandbox, id, 'grep');
    expect((await script.ask('scan')).count).toBe(0);
    script.close();
  });
});

describe('when no script can run', () => {
  const refused = new CaissonError('unavailable', 'cannot start sh');
  let process = new ScriptedProcess();

  async function kill(error: CaissonError, parts: Partial<Sandbox>) {
    process = new ScriptedProcess();
    const sandbox = scriptedSandbox(process, error, parts);
    await sandbox.exec(['true'], { cwd: '/', env: {}, stdin: false });
    return await killTree(sandbox, newExecId(), { process });
  }

  it('kills what the place reaches, and says that it could not look', async () => {
    const report = await kill(refused, {});
    expect(process.signals).toContain('SIGKILL');
    expect(report).toMatchObject({
      survivors: null,
      verified: false,
      note: expect.stringContaining('cannot start sh'),
    });
  });

  const stats = (pids: number) => ({
    read: async () => ({
      cpuNanos: 0,
      memoryBytes: 0,
      memoryLimitBytes: 0,
      pids,
      pidsLimit: 64,
      networkReceivedBytes: 0,
      networkSentBytes: 0,
    }),
  });

  it('restarts a sandbox whose process table is full', async () => {
    const calls: string[] = [];
    const power = { stop: async () => void calls.push('stop'), start: async () => void calls.push('start') };
    expect(await kill(refused, { power, stats: stats(63) })).toMatchObject({
      survivors: [],
      verified: true,
      note: expect.stringContaining('restarted'),
    });
    expect(calls).toEqual(['stop', 'start']);
    expect(await kill(new CaissonError('resource_exhausted', 'no process slots'), { power })).toMatchObject({
      verified: true,
    });
  });

  it('never restarts one that has room, or is gone', async () => {
    const power = { stop: async () => expect.unreachable(), start: async () => expect.unreachable() };
    expect(await kill(refused, { power, stats: stats(5) })).toMatchObject({ survivors: null });
    expect(await kill(refused, { power })).toMatchObject({ survivors: null });
    expect(await kill(new CaissonError('not_found', 'gone'), { power })).toMatchObject({ survivors: null });
  });
});
