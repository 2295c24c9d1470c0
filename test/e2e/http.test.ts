/** `caisson serve` as a process of its own, on this host and on docker: what a client does, and what a crash leaves. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, hash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { openSocket } from '../http/raw.ts';
import { everyLine, linesOf } from '../http/world.ts';
import { busybox, cli, type Home, makeHome } from './home.ts';

interface Service {
  readonly url: string;
  readonly token: string;
  readonly process: ChildProcess;
  readonly ask: (
    path: string,
    how?: { readonly body?: unknown; readonly method?: string; readonly accept?: string },
  ) => Promise<Response>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

async function start(home: Home, token: string): Promise<Service> {
  const options = { env: { ...home.env, CAISSON_HOME: home.path }, cwd: home.path };
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0'], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.resume();
  const [url] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the service has ended'))),
  ]);
  return {
    url: String(url),
    token,
    process: child,
    ask: async (path, { body, method, accept } = {}) =>
      await fetch(String(url) + path, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(accept === undefined ? {} : { accept }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = await once(child, 'exit');
      return code === null ? null : Number(code);
    },
  };
}

async function tokenIn(home: Home, ...scopes: readonly string[]): Promise<string> {
  const { stdout } = await home.cli(['token', 'create', 'test', ...scopes.flatMap((scope) => ['--scope', scope])]);
  return stdout.trim();
}

const output = (events: readonly Readonly<Record<string, unknown>>[]): string =>
  events.map(({ type, data }) => (type === 'stdout' ? String(data) : '')).join('');

describe.each(['local', 'docker'])('the service on %s', (backend) => {
  let home: Home;
  let service: Service;
  const execs = '/v1/sandboxes/build/execs';

  beforeAll(async () => {
    home = await makeHome(dockerHost());
    const config = `terminal: {backend: ${backend}, docker_image: "${busybox}", container_disk: null}\napprovals: {mode: "off"}\nserver: {shutdown_seconds: 1}\n`;
    await writeFile(join(home.path, 'config.yaml'), config, { mode: 0o600 });
    service = await start(home, await tokenIn(home, 'run', 'read', 'admin'));
    const made = await service.ask('/v1/sandboxes', { body: { taskId: 'build' } });
    expect([made.status, made.status === 200 ? '' : await made.text()]).toEqual([200, '']);
  }, 120_000);
  afterAll(async () => {
    await service.ask('/v1/sandboxes/build', { method: 'DELETE' }).catch(() => undefined);
    await service.stop();
    await home[Symbol.asyncDispose]();
  }, 60_000);

  it('runs a command and streams what it writes', async () => {
    const events = await everyLine(
      await service.ask(execs, { body: { command: ['sh', '-c', 'echo one; echo two >&2; exit 4'] } }),
    );
    expect(output(events)).toBe('one\n');
    expect(events.at(-1)).toMatchObject({ type: 'exit', exit: { exitCode: 4 } });
  });

  it('takes and gives files of many parts, with their digest, in bounded memory', async () => {
    const size = 64 * 1024 * 1024;
    const part = Buffer.alloc(1024 * 1024, 'a');
    const digest = createHash('sha256');
    for (let sent = 0; sent < size; sent += part.length) digest.update(part);
    const sha256 = digest.digest('hex');
    const path = backend === 'local' ? join(home.path, 'large') : '/tmp/large';
    const at = `${service.url}/v1/sandboxes/build/files?path=${encodeURIComponent(path)}`;
    const headers = { authorization: `Bearer ${service.token}` };
    const put = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const type = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
      const sending = request(at, { method: 'PUT', headers: { ...headers, ...type } }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sending.once('error', reject);
      let left = size / part.length;
      const next = (): void => {
        while (left > 0) {
          left -= 1;
          if (!sending.write(part)) return void sending.once('drain', next);
        }
        sending.end();
      };
      next();
    });
    expect(put).toMatchObject({ status: 200 });
    expect(JSON.parse(put.text)).toEqual({ size, sha256 });
    const got = await new Promise<{ sha256: string; trailer: string | undefined }>((resolve, reject) => {
      request(at, { headers }, (response) => {
        const read = createHash('sha256');
        response.on('data', (chunk: Buffer) => read.update(chunk));
        response.once('end', () => resolve({ sha256: read.digest('hex'), trailer: response.trailers['repr-digest'] }));
      })
        .once('error', reject)
        .end();
    });
    expect(got).toEqual({ sha256, trailer: `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:` });
  }, 120_000);

  it('an upload that is cut changes nothing', async () => {
    const path = backend === 'local' ? join(home.path, 'cut') : '/tmp/cut';
    const at = `/v1/sandboxes/build/files?path=${encodeURIComponent(path)}`;
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/octet-stream' };
    const whole = await fetch(service.url + at, { method: 'PUT', headers, body: 'whole' });
    expect(await whole.json()).toEqual({ size: 5, sha256: hash('sha256', 'whole') });
    await new Promise<void>((resolve) => {
      const sending = request(service.url + at, {
        method: 'PUT',
        headers: { ...headers, 'content-length': '1000000' },
      });
      sending.once('error', () => resolve());
      sending.write('half', () => setTimeout(() => sending.destroy(new Error('cut')), 200));
    });
    await expect.poll(async () => await (await service.ask(at)).text()).toBe('whole');
  });

  it('a service that was killed leaves detached processes to the next one, and says of others that they are lost', async () => {
    const started = await service.ask('/v1/sandboxes/build/processes', {
      body: { command: ['sh', '-c', 'for i in 1 2 3 4 5 6; do echo tick-$i; sleep 0.5; done'], execId: 'exec_back' },
    });
    expect(started.status).toBe(201);
    const attached = await service.ask(execs, {
      body: { command: ['sh', '-c', 'echo here; sleep 60'], execId: 'exec_front' },
    });
    for await (const event of linesOf(attached)) if (event['type'] === 'stdout') break;
    await service.stop('SIGKILL');
    service = await start(home, service.token);
    const ended = await service.ask('/v1/sandboxes/build/processes/exec_back/wait');
    expect(await ended.json()).toMatchObject({ state: 'exited', exitCode: 0 });
    const events = await everyLine(await service.ask(`${execs}/exec_back`));
    expect(output(events)).toBe([1, 2, 3, 4, 5, 6].map((tick) => `tick-${tick}\n`).join(''));
    const front = await everyLine(await service.ask(`${execs}/exec_front`));
    expect([output(front), front.at(-1)]).toMatchObject(['here\n', { type: 'exit', exit: { reason: 'lost' } }]);
    const again = await everyLine(
      await service.ask(execs, { body: { command: ['sh', '-c', 'echo here; sleep 60'], execId: 'exec_front' } }),
    );
    expect(again.at(-1)).toMatchObject({ exit: { reason: 'lost' } });
  }, 60_000);

  it('a service that is stopped ends streams with where to resume, and leaves detached processes running', async () => {
    await service.ask('/v1/sandboxes/build/processes', { body: { command: ['sleep', '4'], execId: 'exec_stays' } });
    const short = await service.ask(execs, {
      body: { command: ['sh', '-c', 'echo a; sleep 0.5; echo b'], execId: 'exec_short' },
    });
    const long = await service.ask(execs, { body: { command: ['sh', '-c', 'echo a; sleep 60'], execId: 'exec_long' } });
    const reading = [short, long].map(async (response) => {
      const events: Readonly<Record<string, unknown>>[] = [];
      for await (const event of linesOf(response)) events.push(event);
      return events;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await service.stop('SIGTERM');
    for (const events of await Promise.all(reading)) {
      const seq = events.findLast((event) => typeof event['seq'] === 'number')?.['seq'];
      expect(events.at(-1)).toEqual({ type: 'closing', resumeAfter: seq });
    }
    service = await start(home, service.token);
    expect((await everyLine(await service.ask(`${execs}/exec_short`))).at(-1)).toMatchObject({ exit: { exitCode: 0 } });
    const canceled = (await everyLine(await service.ask(`${execs}/exec_long`))).at(-1);
    expect(canceled).toMatchObject({ exit: { reason: 'canceled', notes: [expect.any(String)] } });
    const stays = await service.ask('/v1/sandboxes/build/processes/exec_stays/wait');
    expect(await stays.json()).toMatchObject({ state: 'exited', exitCode: 0 });
  }, 60_000);

  if (backend === 'docker') {
    it('lists images', async () => {
      const { items } = Object(await (await service.ask('/v1/images')).json());
      expect(items.length).toBeGreaterThan(0);
    });

    const pty = (query: string): string => `${service.url}/v1/sandboxes/build/pty?${query}`;
    describe('a terminal over HTTP', () => {
      it('takes keys, gives output as bytes, changes its size, and ends with the exit (OH-15)', async () => {
        const { socket, events, output, until, closed } = await openSocket(pty('columns=100&rows=30'), {
          token: world.agent,
        });
        socket.send(Buffer.from('stty size; echo ready\n'));
        await until(() => output().includes('30 100'));
        socket.send(JSON.stringify({ type: 'resize', columns: 120, rows: 40 }));
        socket.send(Buffer.from('sleep 0.1; stty size\n'));
        await until(() => output().includes('40 120'));
        socket.send(Buffer.from('exit 7\n'));
        expect(await closed).toBe(1000);
        expect(events[0]).toMatchObject({ type: 'started' });
        expect(events.at(-1)).toMatchObject({ type: 'exit', exit: { exitCode: 7 } });
      });

      it('takes Ctrl-C and Ctrl-D', async () => {
        const { socket, output, until, closed } = await openSocket(pty('command=sh'), { token: service.token });
        socket.send(Buffer.from('sleep 100; echo after-$((1+1))\n'));
        await until(() => output().includes('sleep 100'));
        await new Promise((resolve) => setTimeout(resolve, 200));
        socket.send(Buffer.from('\u0003'));
        socket.send(Buffer.from('echo alive-$((40+2))\n'));
        await until(() => output().includes('alive-42'));
        socket.send(Buffer.from('\u0004'));
        expect(await closed).toBe(1000);
      });

      it('goes on without its socket, and a new one reads on where the old one was', async () => {
        const first = await openSocket(pty('execId=exec_term'), { token: service.token });
        first.socket.send(Buffer.from('echo one-$((1))\n'));
        await first.until(() => first.output().includes('one-1'));
        await first.until(() => first.events.at(-1)?.['type'] === 'position');
        const seq = Number(first.events.findLast(({ type }) => type === 'position')?.['seq']);
        first.socket.terminate();
        await first.closed;
        const second = await openSocket(pty(`execId=exec_term&after=${seq}`), { token: service.token });
        second.socket.send(Buffer.from('echo two-$((2))\n'));
        await second.until(() => second.output().includes('two-2'));
        expect(second.output()).not.toContain('one-1');
        second.socket.send(JSON.stringify({ type: 'cancel' }));
        expect(await second.closed).toBe(1000);
        expect(second.events.at(-1)).toMatchObject({ type: 'exit', exit: { reason: 'canceled' } });
      });

      it('in a sandbox that there is not says so, and closes', async () => {
        const { events, closed } = await openSocket(`${service.url}/v1/sandboxes/none/pty`, { token: service.token });
        expect(await closed).toBe(1008);
        expect(events).toMatchObject([{ type: 'error', error: { code: 'not_found' } }]);
      });
    });
  }
});
