import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { killProcess, pruneProcesses, waitForProcess } from '../../../src/exec/detached/end.ts';
import { followProcess } from '../../../src/exec/detached/follow.ts';
import { findProcess, type ProcessDirectory, listProcesses, parseLine } from '../../../src/exec/detached/list.ts';
import { positionAt, seqOf } from '../../../src/exec/detached/position.ts';
import { keptStreamBytes, startDetached } from '../../../src/exec/detached/start.ts';
import { runScript } from '../../../src/inside/run.ts';
import { scriptOf } from '../../../src/inside/script.ts';
import { keptSandbox } from '../kept-sandbox.ts';
import { shells } from '../kill/shells.ts';
import { shell as shellRequest, where } from '../requests.ts';

async function read(
  kept: ProcessDirectory,
  id: string,
  after = 0,
): Promise<{
  readonly stdout: string;
  readonly stderr: string;
  readonly seqs: readonly number[];
  readonly code: number | null | undefined;
  readonly durationMs: number | null;
}> {
  const said = { stdout: '', stderr: '' };
  const seqs: number[] = [];
  let code: number | null | undefined;
  let durationMs: number | null = null;
  for await (const { seq, event } of followProcess(kept, id, { after, follow: true, where, cwd: '/' })) {
    seqs.push(seq);
    if (event.type === 'stdout' || event.type === 'stderr') said[event.type] += Buffer.from(event.bytes).toString();
    if (event.type === 'exit') ({ exitCode: code, durationMs } = event.exit);
  }
  return { ...said, seqs, code, durationMs };
}

describe.each(shells)('a detached process under %s', (shell) => {
  it('is listed beside a fifo that has the name of a record', async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const request = shellRequest('exit 0');
    await startDetached(kept, request);
    await waitForProcess(kept, request.execId);
    const fake = `${home.home}/.local/state/caisson/processes/exec_fake`;
    mkdirSync(fake);
    for (const name of ['command', 'exit', 'pid']) execFileSync('mkfifo', [`${fake}/${name}`]);
    const listed = await listProcesses({ ...kept, signal: AbortSignal.timeout(10_000) });
    expect(listed.map(({ id }) => id)).toContain(request.execId);
  });

  it(
    'writes its output and its status where any reader finds them, from any place on',
    { timeout: 60_000 },
    async () => {
      using home = keptSandbox(shell);
      const kept = { sandbox: home.sandbox, key: '' };
      const request = shellRequest(
        'echo one; echo err >&2; sleep 0.4; echo "$CAISSON_EXEC $PWD $(umask)"; grep SigIgn /proc/self/status; exit 7',
        { cwd: '/usr' },
      );
      expect(await startDetached(kept, request)).toBe(true);
      expect(await startDetached(kept, request)).toBe(false);
      expect(await findProcess(kept, request.execId)).toMatchObject({
        state: 'running',
        supervised: true,
        reason: null,
        exitCode: null,
        signal: null,
        signalGuessed: false,
        command: request.command,
      });
      const all = await read(kept, request.execId);
      expect(all).toMatchObject({
        stdout: `one\n${request.execId} /usr 0022\nSigIgn:\t0000000000000000\n`,
        stderr: 'err\n',
        code: 7,
      });
      for (const [index, seq] of all.seqs.entries())
        expect((await read(kept, request.execId, seq)).seqs.length).toBeLessThan(all.seqs.length - index);
      const rest = await read(kept, request.execId, seqOf({ stdout: 2, stderr: 1, over: false }));
      expect([rest.stdout, rest.stderr]).toEqual([all.stdout.slice(2), 'rr\n']);
      const ended = await waitForProcess(kept, request.execId);
      expect(ended).toMatchObject({ state: 'exited', reason: 'exited', exitCode: 7, signal: null });
      expect(ended.durationMs).toBeGreaterThanOrEqual(400);
      expect(ended.durationMs).toBeLessThan(20_000);
      expect(all.durationMs).toBe(ended.durationMs);
    },
  );

  it('is ended also when it has hardly begun', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const late = sandboxWithLateCommands(kept.sandbox);
    const request = shellRequest('sleep 300');
    await startDetached({ ...kept, sandbox: late }, request);
    expect(await killProcess(kept, request.execId, null)).toMatchObject({
      survivors: [],
      process: { state: 'exited', reason: 'exited', exitCode: 143, signal: 'SIGTERM', signalGuessed: true },
    });
  });

  it('is ended with all it started, and its end is recorded', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const request = shellRequest('setsid sleep 300 & sleep 300');
    await startDetached(kept, request);
    await running(kept, request.execId);
    expect(await killProcess(kept, request.execId, null)).toMatchObject({
      survivors: [],
      process: { state: 'exited', reason: 'exited', exitCode: 143, signal: 'SIGTERM', signalGuessed: true },
    });
  });

  it('gets a signal that is only sent', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const request = shellRequest('trap "echo got; exit 4" HUP; echo up; while :; do sleep 0.05; done');
    await startDetached(kept, request);
    await running(kept, request.execId);
    await sleep(200);
    await killProcess(kept, request.execId, 'HUP');
    expect(await read(kept, request.execId)).toMatchObject({ stdout: 'up\ngot\n', code: 4 });
  });

  it('keeps a bounded part of what it writes, and says so', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const request = shellRequest(`head -c ${keptStreamBytes + 4_000_000} /dev/zero; echo done >&2; exit 2`);
    await startDetached(kept, request);
    expect(await waitForProcess(kept, request.execId)).toMatchObject({
      exitCode: 2,
      truncated: { stdout: true, stderr: false },
    });
    const { stdout, stderr } = await read(kept, request.execId);
    expect([stdout.length, stderr]).toEqual([keptStreamBytes, 'done\n']);
  });

  it(
    'is reported to be unwatched when its supervisor is killed, and lost when it ends then',
    { timeout: 60_000 },
    async () => {
      using home = keptSandbox(shell);
      const kept = { sandbox: home.sandbox, key: '' };
      const request = shellRequest('echo up; sleep 300');
      await startDetached(kept, request);
      const { pid } = await running(kept, request.execId);
      const child = await home.sandbox.exec(
        ['sh', '-c', `read -r p x <"$HOME/.local/state/caisson/processes/${request.execId}/pid"; kill -9 $p`],
        { cwd: '/', env: {}, stdin: false },
      );
      await child.wait();
      await expect
        .poll(() => findProcess(kept, request.execId), { timeout: 20_000 })
        .toMatchObject({ state: 'running', supervised: false });
      if (pid !== null) process.kill(-pid, 'SIGKILL');
      expect(await waitForProcess(kept, request.execId)).toMatchObject({ state: 'lost', exitCode: null });
      expect(await read(kept, request.execId)).toMatchObject({ stdout: 'up\n', code: null });
    },
  );

  it('is not lost when it ends while somebody looks', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const request = shellRequest('exit 9');
    await startDetached(kept, request);
    await waitForProcess(kept, request.execId);
    const at = (name: string): string => `${home.home}/.local/state/caisson/processes/${request.execId}/${name}`;
    await rename(at('exit'), at('exit.late'));
    await rename(at('pid'), at('pid.late'));
    execFileSync('mkfifo', [at('pid')]);
    // A fifo holds the look up between two of its steps; apart from this test it opens none.
    const script = scriptOf('kept', 'processes/born', 'processes/list').replace('[ -f "$1" ]', '[ -e "$1" ]');
    expect(script).toContain('[ -e "$1" ]; }');
    const looking = runScript(home.sandbox, { name: 'caisson-list', script, args: ['', request.execId] });
    const pipe = await open(at('pid'), 'w'); // there was no status yet: a reader is behind that
    await rename(at('exit.late'), at('exit'));
    await rename(at('pid.late'), at('pid'));
    await pipe.close();
    expect((await looking).text.split(' ')[6]).toBe('9');
    expect(await findProcess(kept, request.execId)).toMatchObject({ state: 'exited', exitCode: 9, supervised: true });
  });

  it('is collected when it ended, and never while it runs', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const [ended, alive] = [shellRequest('true'), shellRequest('sleep 300')];
    await startDetached(kept, ended);
    await startDetached(kept, alive);
    await waitForProcess(kept, ended.execId);
    await running(kept, alive.execId);
    const touch = await home.sandbox.exec(
      [
        '/usr/bin/touch',
        '-d',
        '-3 hours',
        `${home.home}/.local/state/caisson/processes/${ended.execId}`,
        `${home.home}/.local/state/caisson/processes/${alive.execId}`,
      ],
      { cwd: '/', env: {}, stdin: false },
    );
    await touch.wait();
    expect(await pruneProcesses(kept, { minutes: 600, dryRun: false })).toEqual([]);
    expect(await pruneProcesses(kept, { minutes: 60, dryRun: true })).toEqual([ended.execId]);
    expect(await pruneProcesses(kept, { minutes: 60, dryRun: false })).toEqual([ended.execId]);
    expect((await listProcesses(kept)).map(({ id }) => id)).toEqual([alive.execId]);
    await killProcess(kept, alive.execId, 'KILL');
  });
});

/** Its supervisors take a while to start their commands. */
function sandboxWithLateCommands(sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    exec: ([program, ...rest], options) => {
      const slow = rest.map((word) => word.replace('trap : HUP INT TERM', 'sleep 1; trap : HUP INT TERM'));
      return sandbox.exec([program, ...slow], options);
    },
  };
}

async function running(kept: ProcessDirectory, id: string) {
  await expect.poll(async () => (await findProcess(kept, id)).pid, { timeout: 20_000 }).not.toBeNull();
  return await findProcess(kept, id);
}

describe('what a sandbox says about processes', () => {
  it.each([
    '',
    'exec_a',
    '../x 1 y 1 y 1 0 1 0 5 - n []',
    `exec_${'a'.repeat(65)} 1 y 1 y 1 0 1 0 5 - n []`,
    'exec_a 1 y 1 y 1 9999 1 0 5 - n []',
  ])('is passed over when it is not ours: %j', (line) => expect(parseLine(line)).toEqual([]));
  it('is bounded in its numbers', () =>
    expect(parseLine('exec_a 1 y 1 y 1 999 1 0 5 - n n no json')).toMatchObject([
      { exitCode: null, state: 'exited', durationMs: 50, command: [] },
    ]));
  it('is placed by a number that leads back exactly', () => {
    for (const place of [
      { stdout: 0, stderr: 0 },
      { stdout: 2 ** 24, stderr: 2 ** 24 },
      { stdout: 12345, stderr: 7 },
    ])
      for (const over of [true, false]) expect(positionAt(seqOf({ ...place, over }))).toEqual({ ...place, over });
  });
});
