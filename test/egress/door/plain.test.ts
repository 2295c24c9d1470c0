import { request as send } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { publicAddress } from '../../network/dial/internet.ts';
import { restOf, world, type World } from './world.ts';

const get = (url: string, host: string, ...headers: readonly string[]): string =>
  [`GET ${url} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n');
const last = 'Connection: close';
const statuses = (text: string): readonly string[] =>
  [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status = '']) => status);

describe('a plain request', () => {
  it('to an allowed host is sent on, in words of the proxy', async () => {
    const seen: string[][] = [];
    await using here = await world({
      rules: { allow: ['a.example'] },
      web: (request, response) => {
        seen.push(request.rawHeaders, [request.url ?? '']);
        response.writeHead(200, { 'x-one': '1', connection: 'x-two', 'x-two': '2' }).end('hello');
      },
    });
    const secret = ['Proxy-Authorization: Basic c2VjcmV0', 'Proxy-Connection: keep-alive', 'Upgrade: h2c'];
    const text = await here.say(get('http://a.example/a?b', 'a.example', 'Accept: */*', ...secret, last));
    expect([statuses(text), /x-one: 1/.test(text), /x-two/.test(text)]).toEqual([['200'], true, false]);
    expect(seen).toEqual([['host', 'a.example', 'Accept', '*/*', 'Connection', 'close'], ['/a?b']]);
    await vi.waitFor(() => expect(here.records).toHaveLength(1));
    expect(here.records[0]).toMatchObject({
      name: 'a.example',
      port: 80,
      address: publicAddress,
      checked: 'host-header',
    });
    expect(here.records[0]).toMatchObject({ verdict: 'allow', rule: 'allow a.example' });
  });

  it('is judged each by itself on a connection that stays (NE-12)', async () => {
    await using here = await world({ rules: { allow: ['a.example'] } });
    const requests = [get('http://a.example/', 'a.example'), get('http://b.example/', 'b.example')];
    expect(statuses(await here.say(requests.join('')))).toEqual(['200', '403']);
    expect(statuses(await here.say(get('http://a.example/', 'b.example')))).toEqual(['400']);
    expect(here.dialled).toEqual([`${publicAddress}:80`]);
    expect(here.asked).toEqual(['a.example']);
  });

  it('that is refused says host and rule, and no address', async () => {
    await using here = await world({ rules: { allow: ['a.example'], deny: ['b.example'] }, zone: () => ['10.9.8.7'] });
    expect(await here.say(get('http://b.example/', 'b.example'))).toContain(
      'caisson: b.example:80 is not allowed (deny b.example)',
    );
    const text = await here.say(get('http://a.example/', 'a.example'));
    expect(text).toContain('caisson: a.example:80 is not allowed (address)');
    expect(text).not.toContain('10.9.8.7');
  });

  it('carries bodies of both kinds both ways', async () => {
    await using here = await world({
      rules: { allow: ['a.example'] },
      web: (request, response) => void request.pipe(response),
    });
    const post = (headers: Readonly<Record<string, string>>): Promise<string> =>
      new Promise((resolve, reject) => {
        const sent = send({
          createConnection: () => here.open(),
          method: 'POST',
          path: 'http://a.example/',
          headers: { host: 'a.example', ...headers },
        });
        sent.on('error', reject).on('response', (answered) => {
          let text = '';
          answered.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text));
        });
        sent.end('x'.repeat(1_000_000));
      });
    expect((await post({ 'content-length': '1000000' })).length).toBe(1_000_000);
    expect((await post({ 'transfer-encoding': 'chunked' })).length).toBe(1_000_000);
  });

  it('that redirects inside is answered with the redirect, and the next one is judged (NE-09)', async () => {
    await using here = await world({
      rules: { allow: ['*'] },
      web: (request, response) => {
        const location = request.url === '/good' ? 'http://b.example/' : 'http://169.254.169.254/latest/';
        response.writeHead(302, { location }).end();
      },
    });
    expect(await here.say(get('http://a.example/bad', 'a.example', last))).toContain(
      'location: http://169.254.169.254',
    );
    expect(statuses(await here.say(get('http://169.254.169.254/latest/', '169.254.169.254')))).toEqual(['403']);
    expect(await here.say(get('http://a.example/good', 'a.example', last))).toContain('location: http://b.example/');
    expect(statuses(await here.say(get('http://b.example/', 'b.example', last)))).toEqual(['302']);
    expect(here.dialled).toEqual(Array.from({ length: 3 }, () => `${publicAddress}:80`));
  });

  it('to localhost, to this host and to private addresses is refused, and nothing is looked up (NE-05, NE-07)', async () => {
    await using here = await world({ rules: { allow: ['*', '10.1.2.3'] } });
    for (const host of [
      'localhost',
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      '[::1]',
      '10.1.2.3',
      'metadata.google.internal',
    ])
      expect(statuses(await here.say(get(`http://${host}/`, host)))).toEqual(['403']);
    expect([here.dialled, here.asked]).toEqual([[], []]);
  });

  it('to a private address passes where the operator opened it with its port', async () => {
    const rules = { allow: ['10.1.2.3:8080'] };
    await using here = await world({ rules, allowPrivate: ['10.1.2.3:8080'] });
    expect(statuses(await here.say(get('http://10.1.2.3:8080/', '10.1.2.3:8080', last)))).toEqual(['200']);
    expect(statuses(await here.say(get('http://10.1.2.3/', '10.1.2.3', last)))).toEqual(['403']);
    expect(here.dialled).toEqual(['10.1.2.3:8080']);
  });
});

describe('a request that smuggles (NE-16)', () => {
  const to = 'POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n';
  const hidden = 'GET http://b.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n';
  it.each([
    ['both lengths', `${to}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['two lengths', `${to}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a coding that is not chunked', `${to}Transfer-Encoding: gzip\r\n\r\nab`],
    ['a coding written otherwise', `${to}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a space before the colon', `${to}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['a folded header', `${to}X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a bare line feed', `${to}X-A: b\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a carriage return in a header', `${to}X-A: b\rTransfer-Encoding: chunked\r\n\r\n`],
    ['a zero in a header', `${to}X-A: b\0c\r\n\r\n`],
    ['a length in hexadecimal', `${to}Content-Length: 0x5\r\n\r\nhello`],
    ['a chunk whose length is too long', `${to}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`],
    ['two hosts', `${to}Host: b.example\r\n\r\n`],
    ['a line that ends early', 'GET http://a.example/ \r\nHost: a.example\r\n\r\n'],
    ['an origin form', 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n'],
  ])('by %s is answered with 400 and reaches no origin whole', async (_, text) => {
    const whole: string[] = [];
    await using here = await world({
      rules: { allow: ['a.example'] },
      web: (request, response) => {
        request.on('end', () => whole.push(request.url ?? '')).resume();
        response.end();
      },
    });
    expect(statuses(await here.say(text))).toContain('400');
    expect([whole, here.asked.includes('b.example')]).toEqual([[], false]);
  });

  it('is not what a body of the right length is, whatever it looks like', async () => {
    const bodies: string[] = [];
    await using here = await world({
      rules: { allow: ['a.example'] },
      web: (request, response) => {
        request.on('data', (chunk: Buffer) => bodies.push(chunk.toString())).on('end', () => response.end('ok'));
      },
    });
    const text = `${to}Content-Length: ${hidden.length}\r\n${last}\r\n\r\n${hidden}`;
    expect([statuses(await here.say(text)), bodies]).toEqual([['200'], [hidden]]);
  });

  it('has no use for a head of a megabyte', async () => {
    await using here = await world({ rules: { allow: ['a.example'] } });
    expect(statuses(await here.say(`${to}X-A: ${'a'.repeat(1_000_000)}\r\n\r\n`))).toEqual(['431']);
    expect(here.dialled).toEqual([]);
  });

  it('has no use for a head that comes slowly', async () => {
    await using here = await world({ rules: { allow: ['a.example'] }, limits: { headTimeoutMs: 200 } });
    expect(statuses(await here.say('GET http://a.example/ HTTP/1.1\r\nHost: a.ex'))).toEqual(['408']);
  });
});

describe('a hostile origin', () => {
  const answering = (text: string): Promise<World> =>
    world({
      rules: { allow: ['a.example'] },
      raw: (socket) => void socket.once('data', () => socket.end(text)),
      limits: { answerTimeoutMs: 300 },
    });
  const ask = async (here: World): Promise<string> => await here.say(get('http://a.example/', 'a.example', last));

  it('that answers in order is passed on', async () => {
    await using here = await answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    expect(await ask(here)).toMatch(/^HTTP\/1.1 200 OK[^]*ok$/);
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['nothing', ''],
    ['a folded header', 'HTTP/1.1 200 OK\r\nX-A: b\r\n c: d\r\nContent-Length: 0\r\n\r\n'],
    ['a head of a megabyte', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(1_000_000)}\r\n\r\n`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
  ])('that answers with %s gives 502', async (_, text) => {
    await using here = await answering(text);
    expect(statuses(await ask(here))).toEqual(['502']);
  });

  it('that does not answer in time gives 502', async () => {
    await using here = await world({
      rules: { allow: ['a.example'] },
      raw: (socket) => void socket.write('HTTP/1.1 200 OK\r\nX-A: '),
      limits: { answerTimeoutMs: 200 },
    });
    expect(statuses(await ask(here))).toEqual(['502']);
  });

  it('that cuts its answer off is cut off, not completed', async () => {
    await using here = await answering('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok');
    expect(await ask(here)).toContain('100');
    await using chunked = await answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    expect(await ask(chunked)).not.toMatch(/0\r\n\r\n$/);
  });

  it('that gives two lengths does not split its answer', async () => {
    await using here = await answering(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    );
    const text = await ask(here);
    expect(text.includes('hello') ? text.toLowerCase().includes('content-length') : text.includes('502')).toBe(
      !text.includes('hello'),
    );
  });
});

it('many requests at once on one connection are bounded', async () => {
  await using here = await world({
    rules: { allow: ['a.example'] },
    web: () => undefined,
    limits: { maxConnections: 4 },
  });
  const socket = here.open();
  const answers = restOf(socket);
  socket.write(get('http://a.example/', 'a.example').repeat(50));
  await vi.waitFor(() => expect(here.records.some(({ rule }) => rule === 'limits')).toBe(true));
  socket.destroy();
  await answers;
  expect(here.dialled.length).toBeLessThanOrEqual(5);
});
