/** `caisson serve` on this host and on docker: what a client does, and what a crash leaves. */
import { createHash, hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { everyLine, linesOf } from '../http/world.ts';
import { type Home, makeHome } from './home.ts';
import { openOn, output, type Service, start } from './http-service.ts';

describe.each(['local', 'docker'])('the service on %s', (backend) => {
  let home: Home;
  let service: Service;
  let files = '/tmp';
  const execs = '/v1/sandboxes/build/execs';

  beforeAll(async () => {
    home = await makeHome(dockerHost());
    service = await openOn(home, backend);
    // Files of the state directory itself are protected.
    if (backend === 'local') files = await mkdtemp(join(tmpdir(), 'caisson-http-files-'));
  }, 120_000);
  afterAll(async () => {
    await service.ask('/v1/sandboxes/build', { method: 'DELETE' }).catch(() => undefined);
    await service.stop();
    await home[Symbol.asyncDispose]();
    if (backend === 'local') await rm(files, { recursive: true });
  }, 60_000);

  it('runs a command and streams what it writes', async () => {
    const events = await everyLine(
      await service.ask(execs, { body: { command: ['sh', '-c', 'echo one; echo two >&2; exit 4'] } }),
    );
    expect(output(events)).toBe('one\n');
    expect(events.at(-1)).toMatchObject({ type: 'exit', exit: { exitCode: 4 } });
  });

  it('takes and gives files of many parts, with their digest', async () => {
    const size = 64 * 1024 * 1024;
    const part = Buffer.alloc(1024 * 1024, 'a');
    const digest = createHash('sha256');
    for (let sent = 0; sent < size; sent += part.length) digest.update(part);
    const sha256 = digest.digest('hex');
    const path = join(files, 'large');
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
    const path = join(files, 'cut');
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

  it('gives a directory as an archive and takes it back, without what leads outside', async () => {
    const script = 'mkdir -p "$1/sub" && echo one >"$1/sub/a b" && ln -s sub/a\\ b "$1/in" && ln -s /etc "$1/out"';
    await everyLine(await service.ask(execs, { body: { command: ['sh', '-c', script, 'sh', join(files, 'tree')] } }));
    const at = (name: string) => `/v1/sandboxes/build/files/archive?path=${encodeURIComponent(join(files, name))}`;
    const got = await service.ask(at('tree'));
    expect([got.status, got.headers.get('x-skipped-entries')]).toEqual([200, '1']);
    const body = Buffer.from(await got.arrayBuffer());
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/octet-stream' };
    const put = await fetch(service.url + at('again'), { method: 'PUT', headers, body });
    expect(await put.json()).toMatchObject({ files: 1, directories: 2, skipped: [] });
    const cut = await fetch(service.url + at('half'), { method: 'PUT', headers, body: body.subarray(0, -1024) });
    expect(cut.status).toBe(422);
    const look = 'cd "$1" && cat again/in && ls -A again && ls -d half';
    const seen = await everyLine(await service.ask(execs, { body: { command: ['sh', '-c', look, 'sh', files] } }));
    expect(output(seen)).toBe('one\nin\nsub\n');
  });

  it('watches a directory until the reader leaves, and leaves no process behind', async () => {
    const path = join(files, 'watched');
    await everyLine(await service.ask(execs, { body: { command: ['mkdir', path] } }));
    const watching = `/v1/sandboxes/build/files/watch?path=${encodeURIComponent(path)}&recursive=true&intervalMs=200`;
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${service.token}` };
    const events = linesOf(await fetch(service.url + watching, { headers, signal: leaving.signal }));
    await everyLine(await service.ask(execs, { body: { command: ['touch', join(path, 'new')] } }));
    expect((await events.next()).value).toEqual({ type: 'created', path: 'new', kind: 'file' });
    const count = async (): Promise<number> => {
      const command = [
        'sh',
        '-c',
        'n=0; for p in /proc/[0-9]*; do grep -qs "$1" "$p/environ" && n=$((n + 1)); done; echo $n',
        'sh',
        `${path.slice(0, -1)}[d]`,
      ];
      return Number(output(await everyLine(await service.ask(execs, { body: { command } }))));
    };
    expect(await count()).toBeGreaterThan(0);
    leaving.abort();
    await expect.poll(count, { timeout: 20_000 }).toBe(0);
  }, 30_000);

  it('a service that was killed leaves no watch behind, and a sandbox that stops ends one', async () => {
    const path = join(files, 'lasting');
    await everyLine(await service.ask(execs, { body: { command: ['mkdir', path] } }));
    const watching = `/v1/sandboxes/build/files/watch?path=${encodeURIComponent(path)}&intervalMs=200`;
    const events = linesOf(await service.ask(watching));
    await service.stop('SIGKILL');
    await Array.fromAsync(events).catch(() => undefined);
    service = await start(home, service.token);
    const marked = `${path.slice(0, -1)}[g]`;
    const script = 'for p in /proc/[0-9]*; do grep -qs "$1" "$p/environ" && echo left; done; true';
    const left = async (): Promise<string> =>
      output(await everyLine(await service.ask(execs, { body: { command: ['sh', '-c', script, 'sh', marked] } })));
    await expect.poll(left, { timeout: 20_000 }).toBe('');
    if (backend === 'local') return;
    const ending = everyLine(await service.ask(watching));
    expect((await service.ask('/v1/sandboxes/build/stop', { method: 'POST' })).status).toBe(204);
    expect((await ending).filter(({ type }) => type !== 'ping')).toEqual([{ type: 'end', reason: 'sandbox' }]);
    expect((await service.ask('/v1/sandboxes/build/start', { method: 'POST' })).status).toBe(200);
  }, 60_000);

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
    await service.ask('/v1/sandboxes/build/processes', { body: { command: ['sleep', '7'], execId: 'exec_stays' } });
    const short = await service.ask(execs, {
      body: { command: ['sh', '-c', 'echo a; sleep 2; echo b'], execId: 'exec_short' },
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
});
