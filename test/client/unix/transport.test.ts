import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { createServer as createHttp } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../src/client/transport.ts';
import { unixTransport } from '../../../src/client/unix/transport.ts';
import { http, listening, opened, raw } from './services.ts';

const get = (path: string): WireRequest => ({ method: 'GET', path, headers: {} });
describe('a request over a unix socket', () => {
  it('sends bodies of every kind, and gives status, headers and body', async () => {
    const transport = await http((request, response) => {
      void buffer(request).then((body) => {
        response.setHeader('x-method', request.method ?? '');
        response.setHeader('x-length', request.headers['content-length'] ?? request.headers['transfer-encoding'] ?? '');
        response.statusCode = 201;
        response.end(body);
      });
    });
    const parts = async function* () {
      yield Buffer.from('one, ');
      await sleep(5);
      yield Buffer.from('two');
    };
    const bodies: readonly (readonly [WireRequest['body'], string, string])[] = [
      [undefined, '', '0'],
      ['tëxt', 'tëxt', '5'],
      [Buffer.from('bytes'), 'bytes', '5'],
      [parts(), 'one, two', 'chunked'],
    ];
    for (const [body, expected, length] of bodies) {
      const answer = await transport.request({ ...get('/'), method: 'POST', ...(body === undefined ? {} : { body }) });
      expect(answer.status).toBe(201);
      expect(answer.headers).toMatchObject({ 'x-method': 'POST', 'x-length': length });
      expect(await text(answer.body)).toBe(expected);
    }
  });

  it('keeps one connection for requests that follow each other, also after 204', async () => {
    let connections = 0;
    const server = createHttp((request, response) => {
      response.statusCode = request.url === '/none' ? 204 : 200;
      response.end(request.url === '/none' ? undefined : 'some');
    });
    server.on('connection', () => (connections += 1));
    const transport = await opened(server);
    for (const path of ['/none', '/some', '/none', '/some'])
      expect(await text((await transport.request(get(path))).body)).toBe(path === '/some' ? 'some' : '');
    expect(connections).toBe(1);
  });

  it('gives the same body wherever the answer is cut into packets', async () => {
    const answer =
      'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nX-A: 2\r\n\r\n5;ext=1\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nRepr-Digest: x\r\n\r\n';
    for (let at = 1; at < answer.length; at += 1) {
      const transport = await raw(answer, { at });
      const response = await transport.request(get('/'));
      expect([response.status, response.headers['x-a'], await text(response.body)]).toEqual([
        200,
        '1, 2',
        'hello world',
      ]);
    }
  });

  it('throws for an answer that is cut, wherever that is', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
    for (let length = 0; length < answer.length; length += 1) {
      const transport = await raw(answer.slice(0, length), { ends: true });
      const read = async () => await text((await transport.request(get('/'))).body);
      await expect(read()).rejects.toMatchObject({ code: 'unavailable', details: { sent: true } });
    }
  });

  it.each([
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length beside chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['another coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n'],
    ['a header without end', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(100_000)}`],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}`],
    ['interim answers without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)],
  ])('refuses an answer with %s', async (_what, answer) => {
    const transport = await raw(answer);
    await expect((async () => await text((await transport.request(get('/'))).body))()).rejects.toMatchObject({
      code: 'internal',
    });
  });

  it('sends no header and no path that holds a line end', async () => {
    const transport = await http((_request, response) => response.end());
    const headers = { a: 'b\r\nauthorization: c' };
    for (const wrong of [{ headers }, { headers: { 'a\r\nb': 'c' } }, { path: '/ HTTP/1.1\r\na: b' }])
      await expect(transport.request({ ...get('/'), ...wrong })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('holds 20 MB back for a reader that is slow, and loses nothing', async () => {
    const bytes = Buffer.alloc(20 * 1024 * 1024, 'caisson ');
    let unsent = 0;
    const transport = await http((_request, response) => {
      response.end(bytes);
      response.on('close', () => undefined);
      setTimeout(() => (unsent = response.writableLength), 300);
    });
    const { body } = await transport.request(get('/'));
    await sleep(400);
    expect(unsent).toBeGreaterThan(15 * 1024 * 1024);
    const hash = createHash('sha256');
    let parts = 0;
    for await (const part of body) {
      hash.update(part);
      if ((parts += 1) % 50 === 0) await sleep(1);
    }
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('closes the connection of an answer that is left, and goes on with another', async () => {
    const closed: string[] = [];
    const transport = await http((request, response) => {
      response.on('close', () => void closed.push(request.url ?? ''));
      response.write('first');
      if (request.url === '/short') response.end();
    });
    for await (const part of (await transport.request(get('/endless'))).body) {
      expect(Buffer.from(part).toString()).toBe('first');
      break;
    }
    expect(await text((await transport.request(get('/short'))).body)).toBe('first');
    await expect.poll(() => closed).toContain('/endless');
  });

  it('ends by its signal before the answer, and in the middle of it', async () => {
    const transport = await http((request, response) => {
      if (request.url === '/started') response.write('part');
    });
    const before = new AbortController();
    const waiting = transport.request({ ...get('/never'), signal: before.signal });
    setTimeout(() => before.abort(), 20);
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
    const within = new AbortController();
    const { body } = await transport.request({ ...get('/started'), signal: within.signal });
    setTimeout(() => within.abort(), 20);
    await expect(text(body)).rejects.toMatchObject({ code: 'canceled' });
  });

  it('gives an answer that comes before the request was sent as a whole', async () => {
    const transport = await http((_request, response) => {
      response.statusCode = 413;
      response.end('too much');
    });
    const endless = async function* () {
      for (;;) yield Buffer.alloc(64 * 1024);
    };
    const { status, body } = await transport.request({ ...get('/'), method: 'PUT', body: endless() });
    expect([status, await text(body)]).toEqual([413, 'too much']);
  });

  it('says that nothing was sent where there is no service', async () => {
    const transport = unixTransport(join(tmpdir(), 'caisson-no-such.sock'));
    await expect(transport.request(get('/'))).rejects.toMatchObject({
      code: 'unavailable',
      details: { sent: false, errno: 'ENOENT' },
    });
  });

  it('loads neither an HTTP module nor fetch', async () => {
    const path = await listening(createHttp((_request, response) => response.end('done')));
    const module = new URL('../../../src/client/unix/transport.ts', import.meta.url).href;
    const program = `const { unixTransport } = await import(${JSON.stringify(module)});
      const { body } = await unixTransport(${JSON.stringify(path)}).request({ method: 'GET', path: '/', headers: {} });
      for await (const part of body) process.stdout.write(part);
      console.log(process.moduleLoadList.filter((each) => /undici|fetch|NativeModule (_?http|https|crypto)\\b/.test(each)).join());`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('done\n');
  });
});
