/** Many commands on few connections, and what a host may put in the way. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pool } from '../../../backends/ssh/pool.ts';
import { findTarget } from '../../../backends/ssh/target.ts';
import type { Backend, ProcessEnd, Sandbox } from '../../../src/backend.ts';
import { isCode } from '../../../src/errors.ts';
import { eventually, finish, readUntil, run, sh, start } from '../../conformance/command.ts';
import { hasSshd, type Sshd, startSshd } from '../../engines/sshd.ts';
import { makeSandbox, openDoor, openOn } from './place.ts';

describe.skipIf(!hasSshd())('commands on one host', () => {
  let sshd: Sshd;
  let backend: Backend;
  let sandbox: Sandbox;
  beforeAll(async () => {
    sshd = await startSshd();
    backend = openOn(sshd);
    sandbox = await makeSandbox(backend);
  });
  afterAll(async () => {
    await sandbox.destroy();
    await backend.close();
    await sshd.stop();
  });

  it('run 64 at once, each with its own output and code', async () => {
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, index) => sh(sandbox, `echo ${index}; echo e${index} >&2; exit ${index}`)),
    );
    for (const [index, { exitCode, stdout, stderr }] of results.entries())
      expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([index, `${index}\n`, `e${index}\n`]);
  });

  it('run 64 at once that wait for each other, on as many connections as it takes, and can all be killed', async () => {
    const started = await Promise.all(
      Array.from({ length: 64 }, () => start(sandbox, ['sh', '-c', 'echo up; exec sleep 300'])),
    );
    await Promise.all(started.map((process) => readUntil(process.stdout, 'up\n')));
    await Promise.all(started.map((process) => process.kill('SIGTERM')));
    const ends = await Promise.all(started.map((process) => finish(process)));
    expect(new Set(ends.map(({ signal }) => signal))).toEqual(new Set(['SIGTERM']));
  });

  it('run 64 at once over one connection, where the host lets in no other one', async () => {
    const door = await openDoor(sshd.port, 1);
    sshd.know(`[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n[127.0.0.1]:${door.port} ${sshd.hostKey}\n`);
    const narrow = openOn(sshd, { port: door.port });
    const sandbox = await makeSandbox(narrow, { task: 'narrow' });
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, index) => sh(sandbox, `echo ${index}; exit ${index}`)),
    );
    expect(results.map(({ exitCode, stdout }) => [exitCode, stdout.toString()])).toEqual(
      results.map((_, index) => [index, `${index}\n`]),
    );
    await sandbox.destroy();
    await narrow.close();
    door.close();
  });

  it('share a connection while anybody uses it, which ends a while after', async () => {
    const pool = new Pool(() => findTarget({ env: sshd.env, instance: 'i', settings: sshd.settings }), 200);
    const [one, two] = await Promise.all([pool.take({ urgent: false }), pool.take({ urgent: false })]);
    expect(two.connection).toBe(one.connection);
    one.leave();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(two.connection.fault).toBeNull();
    two.leave();
    expect(await eventually(async () => two.connection.fault !== null)).toBe(true);
    const next = await pool.take({ urgent: false });
    expect(next.connection).not.toBe(one.connection);
    next.leave();
    pool.close();
  });

  it('of two tasks do not see the environment of each other', async () => {
    const second = await makeSandbox(backend, { task: 'task-2' });
    const text = 'env; sleep 0.2';
    const [one, two] = await Promise.all([
      sh(sandbox, text, { env: { ONLY_ONE: 'first-value', SHARED: '1' } }),
      sh(second, text, { env: { ONLY_TWO: 'second-value', SHARED: '2' } }),
    ]);
    expect(one.stdout.toString()).toContain('ONLY_ONE=first-value');
    expect(one.stdout.toString()).toContain('SHARED=1\n');
    expect(one.stdout.toString()).not.toContain('ONLY_TWO');
    expect(two.stdout.toString()).toContain('SHARED=2\n');
    expect(two.stdout.toString()).not.toContain('ONLY_ONE');
    await second.destroy();
    expect((await run(sandbox, ['true'])).exitCode).toBe(0);
  });

  it.each([
    { length: 'a short', filler: '', reader: '/bin/sh -c IFS= LC_ALL=C read' },
    { length: 'a long', filler: 'x'.repeat(4_000), reader: 'head -c' },
  ])('never show $length value of the environment in the arguments of any process', async ({ filler, reader }) => {
    const secret = `value-${Math.random().toString(36).slice(2)}${filler}`;
    const watcher = watchArguments();
    // How a command is started shows for a moment only: until the watcher has proved that it sees that moment.
    for (let round = 0; round < 10 || (round < 500 && !watcher.seen().includes(reader)); round += 1)
      await run(sandbox, ['true'], { env: { TOKEN: secret } });
    const { stdout } = await run(sandbox, ['printenv', 'TOKEN'], { env: { TOKEN: secret } });
    expect(stdout.toString()).toBe(`${secret}\n`);
    const seen = await watcher.stop();
    expect(seen).toContain(reader);
    expect(seen).not.toContain(secret);
  });

  it('find a session that stands ready, from the second one on, or do without it', async () => {
    const host = await startSshd();
    const place = openOn(host);
    const there = await makeSandbox(place);
    const standingReady = async (): Promise<number> => {
      expect((await run(there, ['true'])).exitCode).toBe(0);
      expect(await eventually(async () => waitingShells(host.pid).length === 1)).toBe(true);
      return waitingShells(host.pid)[0] ?? 0;
    };
    const waits = await standingReady();
    const { stdout } = await sh(there, 'echo $$ $CAISSON_SANDBOX $CAISSON_EXEC', { env: { CAISSON_EXEC: 'exec_1' } });
    expect(stdout.toString()).toBe(`${waits} ${String(there.ref['sandbox'])} exec_1\n`);
    process.kill(await standingReady(), 'SIGKILL');
    for (let index = 0; index < 5; index += 1)
      expect(await sh(there, `exit ${index}`)).toMatchObject({ exitCode: index });
    await there.destroy();
    await place.close();
    expect(await eventually(async () => waitingShells(host.pid).length === 0)).toBe(true);
    await host.stop();
  });

  it('take the place of one that stands ready, where the host allows no more', async () => {
    const narrow = await startSshd(['MaxSessions 3']);
    const place = openOn(narrow);
    const there = await makeSandbox(place);
    for (let round = 0; round < 3; round += 1) {
      expect((await run(there, ['true'])).exitCode).toBe(0);
      const atOnce = await Promise.all(Array.from({ length: 4 }, () => terminal(there, 'exit 3')));
      expect(atOnce.map(({ exitCode }) => exitCode)).toEqual([3, 3, 3, 3]);
    }
    await there.destroy();
    await place.close();
    await narrow.stop();
  });

  it('keep the directory of a task, and drop that of one that was not to last', async () => {
    const { resource } = sandbox.place;
    expect((await run(sandbox, ['touch', 'note'], { cwd: resource })).exitCode).toBe(0);
    const again = await makeSandbox(backend);
    expect(again.place.resource).toBe(resource);
    expect((await run(again, ['ls'], { cwd: resource })).stdout.toString()).toBe('note\n');
    await again.destroy();
    expect((await run(sandbox, ['rm', 'note'], { cwd: resource })).exitCode).toBe(0);
  });

  it('are distinguished from what a talkative login prints', async () => {
    const noisy = await startSshd();
    writeFileSync(join(noisy.home, '.bashrc'), 'echo welcome; echo "mind the step" >&2; export FROM_LOGIN=1\n');
    const place = openOn(noisy);
    const there = await makeSandbox(place);
    const { stdout, stderr } = await sh(there, 'echo out; echo err >&2');
    expect([stdout.toString(), stderr.toString()]).toEqual(['out\n', 'err\n']);
    await there.destroy();
    await place.close();
    await noisy.stop();
  });

  it('are fewer a connection where the host allows fewer', async () => {
    const narrow = await startSshd(['MaxSessions 2']);
    const place = openOn(narrow);
    const there = await makeSandbox(place);
    const results = await Promise.all(Array.from({ length: 12 }, (_, index) => sh(there, `sleep 0.1; exit ${index}`)));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(results.map((_, index) => index));
    await there.destroy();
    await place.close();
    await narrow.stop();
  });

  it('are refused where the host allows none', async () => {
    const closed = await startSshd(['MaxSessions 0']);
    const place = openOn(closed);
    const error: unknown = await place.guarantees().catch((thrown: unknown) => thrown);
    expect(isCode(error, 'resource_exhausted')).toBe(true);
    await place.close();
    await closed.stop();
  });

  it('are not taken for run where the host runs something else', async () => {
    const forced = await startSshd(['ForceCommand echo "only this"; exit 0']);
    const place = openOn(forced);
    const noShell = { code: 'unavailable', message: 'the host did not start a shell for the command' };
    await expect(place.guarantees()).rejects.toMatchObject(noShell);
    // A process that is busy hears at once that a session has begun and how it ended.
    await expect(busily(() => place.guarantees())).rejects.toMatchObject(noShell);
    expect(await place.check()).toMatchObject({ status: 'unhealthy' });
    await place.close();
    await forced.stop();
  });
});

/** Hardly ever looks at what has come in. */
async function busily<T>(work: () => Promise<T>): Promise<T> {
  const never = new Int32Array(new SharedArrayBuffer(4));
  let isOver = false;
  const block = (): void => {
    Atomics.wait(never, 0, 0, 50);
    if (!isOver) setImmediate(block);
  };
  setImmediate(block);
  try {
    return await work();
  } finally {
    isOver = true;
  }
}

async function terminal(sandbox: Sandbox, text: string): Promise<ProcessEnd> {
  const process = await sandbox.pty?.exec(['sh', '-c', text], { cwd: '/', env: {}, columns: 80, rows: 24 });
  if (process === undefined) throw new Error('no terminals here');
  process.stdout.resume();
  const end = await process.wait();
  process.release();
  return end;
}

/** Shells below an sshd that wait for their first line. */
function waitingShells(sshd: number): readonly number[] {
  const field = (pid: number, name: string): string => readFileSync(`/proc/${pid}/${name}`, 'latin1');
  const parentOf = (pid: number): number => Number(/\) \S (\d+) /.exec(field(pid, 'stat'))?.[1] ?? 0);
  const isBelow = (pid: number): boolean => pid > 1 && (pid === sshd || isBelow(parentOf(pid)));
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && field(pid, 'cmdline').includes('read -r _cz_l') && isBelow(pid);
      } catch {
        return false; // it has ended meanwhile
      }
    });
}

/** Looks at the arguments of all processes of this machine, which is the host as well, as often as it can. */
function watchArguments(): { readonly seen: () => string; readonly stop: () => Promise<string> } {
  const look = `
    import { readdirSync, readFileSync, writeSync } from 'node:fs';
    const seen = new Set();
    const note = (text) => { if (!seen.has(text)) { seen.add(text); writeSync(1, text + '\\n'); } };
    process.stdin.once('data', () => process.exit(0));
    const scan = () => {
      for (const pid of readdirSync('/proc')) {
        if (!/^\\d+$/.test(pid) || Number(pid) < process.pid) continue;
        try { note(readFileSync('/proc/' + pid + '/cmdline', 'utf8').replaceAll('\\0', ' ')); } catch {}
      }
      setImmediate(scan);
    };
    scan();`;
  const watcher = spawn(process.execPath, ['--input-type=module', '-e', look], { stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  watcher.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const seen = (): string => Buffer.concat(chunks).toString();
  return {
    seen,
    stop: async () => {
      const closed = once(watcher, 'close');
      watcher.stdin.write('stop');
      await closed;
      return seen();
    },
  };
}
