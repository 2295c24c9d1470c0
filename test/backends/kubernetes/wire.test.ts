/** Commands over WebSockets, by both protocols, with everything real but the cluster: the front runs them on this host. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Process } from '../../../src/backend.ts';
import { goneError } from '../../../backends/kubernetes/sandbox.ts';
import { silentError } from '../../../backends/kubernetes/silence.ts';
import { startProcess, startTerminal, type Target } from '../../../backends/kubernetes/start.ts';
import { finish, readUntil } from '../../conformance/command.ts';
import { type Front, startFront } from './front.ts';

const opened: Front[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function front(...args: Parameters<typeof startFront>): Promise<Front> {
  const made = await startFront(...args);
  opened.push(made);
  return made;
}

const targetOf = ({ api }: Front): Target => ({
  api,
  path: '/api/v1/namespaces/default/pods/p',
  uid: null,
  explain: async () => undefined,
  silent: () => silentError('p'),
  explained: async (end) => ({ exitCode: await end, signal: null, outOfMemory: false }),
});

interface Command {
  readonly stdin?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly onSent?: () => void;
}

async function sh(where: Front, text: string, { stdin = false, env = {}, ...options }: Command = {}): Promise<Process> {
  const launch = { command: ['sh', '-c', text] as const, cwd: '/', env, stdin, guard: null, terminal: null };
  return await startProcess(targetOf(where), launch, options);
}

const megabytes = 3_000_000;

describe.each(['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const)('a command by %s', (protocol) => {
  it('has its streams apart, and its status', async () => {
    const where = await front(protocol);
    const { exitCode, stdout, stderr } = await finish(await sh(where, 'echo out; echo err >&2; exit 7'));
    expect([exitCode, String(stdout), String(stderr)]).toEqual([7, 'out\n', 'err\n']);
  });

  it('has on its stderr nothing that a shell around it says of its end', async () => {
    const where = await front(protocol);
    for (const stdin of [true, false]) {
      const process = await sh(where, 'kill -9 $$', { stdin });
      process.stdin?.end();
      expect(await finish(process)).toMatchObject({ exitCode: 137, stderr: Buffer.alloc(0) });
    }
  });

  it('starts in the pod that is meant, and not in another one of its name', async () => {
    const where = await front(protocol);
    const directory = mkdtempSync(join(tmpdir(), 'caisson-front-test-'));
    const file = join(directory, 'began');
    const explain = async (): Promise<void> => Promise.reject(goneError('p'));
    const target = { ...targetOf(where), uid: 'u-1', explain };
    const launch = { command: ['touch', file] as const, cwd: '/', env: {}, guard: null, terminal: null };
    const terminal = { columns: 80, rows: 24 };
    vi.stubEnv('CAISSON_POD_UID', 'u-2');
    for (const stdin of [false, true])
      await expect(startProcess(target, { ...launch, stdin }, {})).rejects.toMatchObject({ code: 'not_found' });
    const onTerminal = startTerminal(target, { ...launch, stdin: true, terminal }, { ...terminal, cwd: '/', env: {} });
    await expect(onTerminal).rejects.toMatchObject({ code: 'not_found' });
    const unexplained = { ...target, explain: targetOf(where).explain };
    const remedy = expect.stringContaining('stop the sandbox');
    await expect(startProcess(unexplained, { ...launch, stdin: false }, {})).rejects.toMatchObject({ remedy });
    expect([existsSync(file), where.unread]).toEqual([false, 0]);
    vi.stubEnv('CAISSON_POD_UID', 'u-1');
    await finish(await startProcess(target, { ...launch, stdin: false }, {}));
    expect(existsSync(file)).toBe(true);
    rmSync(directory, { recursive: true });
  });

  it('reads its input to the end, and what it leaves is passed over', async () => {
    const where = await front(protocol);
    const counted = await sh(where, 'wc -c; exit 3', { stdin: true });
    counted.stdin?.end(Buffer.alloc(megabytes, 'x'));
    expect(await finish(counted)).toMatchObject({ exitCode: 3, stdout: Buffer.from(`${megabytes}\n`) });
    const left = await sh(where, 'head -c 3; exit 4', { stdin: true });
    left.stdin?.end(Buffer.alloc(megabytes, 'y'));
    expect(await finish(left)).toMatchObject({ exitCode: 4, stdout: Buffer.from('yyy') });
  });

  it('is held while its output is not read, and loses no byte', async () => {
    const process = await sh(await front(protocol), `head -c ${10 * megabytes} /dev/zero; echo done >&2`);
    const early = await Promise.race([process.wait().then(() => 'ended'), sleep(500, 'held')]);
    expect(early).toBe('held');
    process.stderr.resume();
    let bytes = 0;
    for await (const chunk of process.stdout) {
      bytes += chunk.length;
      if (bytes < megabytes) await sleep(5);
    }
    expect(bytes).toBe(10 * megabytes);
    expect((await process.wait()).exitCode).toBe(0);
    process.release();
  });

  it('tells its end while a child holds its streams', async () => {
    const where = await front(protocol);
    const process = await sh(where, 'sleep 30 & echo $!; exit 5', { stdin: true });
    const pid = Number(await readUntil(process.stdout, '\n'));
    expect((await process.wait()).exitCode).toBe(5);
    expect((await process.outputs()).is).toBe('unknown');
    globalThis.process.kill(pid, 'SIGKILL');
    for (const stream of [process.stdout, process.stderr]) stream.resume();
    expect(await process.outputs()).toEqual({ is: 'ended' });
    process.release();
  });

  it('leaves nothing of itself in an address, on the host or in its own environment', async () => {
    const where = await front(protocol);
    const secret = 'a-secret-of-the-caller';
    const process = await sh(where, `: ${secret}; env | grep -c _cz_; cat /proc/$PPID/cmdline | grep -c ${secret}`, {
      env: { TOKEN: secret },
    });
    expect(String((await finish(process)).stdout)).toBe('0\n0\n');
    expect(where.urls.join()).not.toContain(secret);
    expect(where.urls).toHaveLength(1);
  });

  it('is lost when the connection closes without a status, and never a success', async () => {
    const where = await front(protocol);
    const process = await sh(where, 'echo begun; sleep 5');
    await readUntil(process.stdout, 'begun\n');
    where.cut();
    await expect(process.wait()).rejects.toMatchObject({ code: 'unavailable' });
    expect((await process.outputs()).is).toBe('cut');
    await expect.poll(() => process.stdout.errored).toMatchObject({ code: 'unavailable' });
  });

  it('ends by a signal while its input is on the way, which is read to its end all the same', async () => {
    const where = await front(protocol);
    const process = await sh(where, 'echo begun; sleep 30', { stdin: true });
    process.stdin?.write(Buffer.alloc(megabytes, 'x'));
    await readUntil(process.stdout, 'begun\n');
    await sleep(200);
    await process.kill('SIGKILL');
    expect(await finish(process)).toMatchObject({ exitCode: 137 });
    expect(await process.outputs()).toEqual({ is: 'ended' });
    expect(where.unread).toBe(0);
  });

  it('ends by a signal, which spares the shells around it', async () => {
    const where = await front(protocol);
    const process = await sh(where, 'echo begun; sleep 30 & wait', { stdin: true });
    await readUntil(process.stdout, 'begun\n');
    await process.kill('SIGKILL');
    expect(await finish(process)).toMatchObject({ exitCode: 137 });
  });
});

describe('the way to a pod', () => {
  it('waits while the node is not ready, and runs the command once', async () => {
    const where = await front('v5.channel.k8s.io');
    const directory = mkdtempSync(join(tmpdir(), 'caisson-front-test-'));
    const file = join(directory, 'runs');
    writeFileSync(file, '');
    where.refusals.push(500, 503);
    let sent = 0;
    const process = await sh(where, `echo run >>${file}`, { onSent: () => (sent += 1) });
    expect((await finish(process)).exitCode).toBe(0);
    expect([readFileSync(file, 'utf8'), sent, where.urls.length]).toEqual(['run\n', 1, 3]);
    rmSync(directory, { recursive: true });
  });

  it.each([
    [403, 'permission_denied'],
    [404, 'not_found'],
    [400, 'invalid_argument'],
  ])('is refused by %i as %s, at once and without a command', async (status, code) => {
    const where = await front('v5.channel.k8s.io');
    where.refusals.push(status);
    let sent = 0;
    await expect(sh(where, 'true', { onSent: () => (sent += 1) })).rejects.toMatchObject({ code });
    expect([sent, where.urls.length]).toEqual([0, 1]);
  });

  it('needs a protocol that reports the end of a command', async () => {
    const where = await front('none');
    await expect(sh(where, 'true')).rejects.toMatchObject({ code: 'not_supported' });
  });

  it('asks its plugin for another login when the first one is refused', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'caisson-front-test-'));
    const count = join(directory, 'count');
    const script = `echo x >>${count}; n=$(wc -l <${count}); echo '{"kind":"ExecCredential","status":{"token":"token-'$n'"}}'`;
    const plugin = { command: ['sh', '-c', script] as const, env: {}, apiVersion: 'v1', directory };
    const where = await front('v5.channel.k8s.io', { by: 'plugin', plugin });
    where.refusals.push(401);
    expect((await finish(await sh(where, 'exit 6'))).exitCode).toBe(6);
    expect(where.tokens).toEqual(['Bearer token-1', 'Bearer token-2']);
    rmSync(directory, { recursive: true });
  });
});
