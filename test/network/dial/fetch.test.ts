import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { vettedAddresses } from '../../../src/network/dial/vet.ts';
import { noRules } from '../address/rules.ts';
import { certificateFor } from './certificate.ts';
import { internet, publicAddress } from './internet.ts';

const hello: RequestListener = (_request, response) => response.end('hello');
/** Redirects by path: `/to?STATUS LOCATION`. */
const redirecting: RequestListener = (request, response) => {
  const [path, query = ''] = (request.url ?? '').split('?');
  const [status, location = ''] = decodeURIComponent(query).split(' ');
  if (path !== '/to') return void response.end('arrived');
  response.writeHead(Number(status), { location }).end('elsewhere');
};
const to = (location: string, status = 302): string =>
  `http://a.example/to?${encodeURIComponent(`${status} ${location}`)}`;

describe('a connection', () => {
  it('goes to the address that was judged, by one lookup (NE-08)', async () => {
    const zone = (_: string, count: number) => [count === 0 ? publicAddress : '192.168.1.5'];
    await using net = await internet((_, response) => response.writeHead(200, { connection: 'close' }).end('hello'), {
      zone,
    });
    expect(await (await net.fetch('http://rebind.example/')).text()).toBe('hello');
    expect([net.dialled, net.asked]).toEqual([[`${publicAddress}:80`], ['rebind.example']]);
    await expect(net.fetch('http://rebind.example/')).rejects.toMatchObject({
      code: 'policy_denied',
      message: expect.stringContaining('192.168.1.5 is a private address'),
    });
    expect(net.dialled).toHaveLength(1);
  });

  it.each([
    ['a private address behind a public one', [publicAddress, '10.0.0.1']],
    ['a private IPv6 address beside a public IPv4 one', [publicAddress, 'fd00::5']],
    ['an IPv4-mapped loopback address', ['::ffff:127.0.0.1']],
  ])('is not made for a name with %s', async (_, answers) => {
    await using net = await internet(hello, { zone: () => answers });
    await expect(net.fetch('http://mixed.example/')).rejects.toMatchObject({ code: 'policy_denied' });
    expect([net.dialled, net.requests]).toEqual([[], []]);
  });

  it.each([
    ['there is no such name', null, 'unavailable', '"gone.example" is not resolved'],
    ['a name has no address', [], 'unavailable', '"gone.example" is not resolved'],
    ['the name server is silent', 'silence', 'unavailable', '"gone.example" is not resolved'],
  ] as const)('is not made when %s', async (_, answers, code, message) => {
    await using net = await internet(hello, { zone: () => answers });
    await expect(net.fetch('http://gone.example/')).rejects.toMatchObject({ code, message });
    expect(net.dialled).toEqual([]);
  });

  it.each(['http://127.0.0.1/', 'http://0x7f.1/', 'http://localhost/', 'http://[::1]/', 'http://169.254.169.254/'])(
    'to %s is not made, and nothing is looked up',
    async (url) => {
      await using net = await internet(hello);
      await expect(net.fetch(url)).rejects.toMatchObject({ code: 'policy_denied' });
      expect([net.dialled, net.asked]).toEqual([[], []]);
    },
  );

  it.each(['file:///etc/passwd', 'data:text/plain,x', 'blob:nodedata:1', 'ftp://a.example/', 'gopher://a.example/'])(
    'has no use for %s',
    async (url) => {
      await using net = await internet(hello);
      await expect(net.fetch(url)).rejects.toMatchObject({ code: 'policy_denied' });
    },
  );

  it('tries the next address when one does not answer', async () => {
    const zone = (): readonly string[] => ['93.184.216.1', publicAddress];
    await using net = await internet(hello, { zone, dead: ['93.184.216.1'] });
    expect(await (await net.fetch('http://two.example:8080/')).text()).toBe('hello');
    expect(net.dialled).toEqual(['93.184.216.1:8080', `${publicAddress}:8080`]);
  });

  it('is unavailable when no address answers, and ends when the caller gives up', async () => {
    await using net = await internet(() => undefined, { dead: ['8.8.8.8'] });
    await expect(net.fetch('http://8.8.8.8/')).rejects.toMatchObject({
      code: 'unavailable',
      message: '8.8.8.8 does not answer: ECONNREFUSED',
    });
    await expect(net.fetch('http://a.example/', { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      code: 'timed_out',
    });
    await expect(net.fetch('http://a.example/', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'canceled',
    });
  });
});

it('a lookup that takes too long blocks', async () => {
  const parts = { rules: () => noRules, lookup: () => new Promise<never>(() => undefined), lookupTimeoutMs: 20 };
  await expect(vettedAddresses(new URL('http://a.example/'), parts)).rejects.toMatchObject({ code: 'timed_out' });
});

describe('a redirect', () => {
  it('is followed, and the answer says from where it comes', async () => {
    await using net = await internet(redirecting);
    const answer = await net.fetch(to('http://b.example/there'));
    expect(answer).toBeInstanceOf(Response);
    expect([answer.url, answer.redirected, await answer.text()]).toEqual(['http://b.example/there', true, 'arrived']);
    expect(net.asked).toEqual(['a.example', 'b.example']);
  });

  it.each([
    'http://127.0.0.1/',
    '//192.168.1.1/admin',
    'http://2130706433/',
    'http://metadata.google.internal/',
    'file:///etc/passwd',
    'ftp://b.example/',
    'http://user:secret@b.example/',
    'http://[',
  ])('to %s is not followed (NE-09)', async (location) => {
    await using net = await internet(redirecting);
    const failure: unknown = await net.fetch(to(location)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'policy_denied' });
    expect(String(failure)).not.toContain('secret');
    expect(net.requests).toHaveLength(1);
  });

  it('to a name that resolves to a private address is not followed', async () => {
    const zone = (name: string): readonly string[] => [name === 'a.example' ? publicAddress : '10.0.0.1'];
    await using net = await internet(redirecting, { zone });
    await expect(net.fetch(to('http://b.example/'))).rejects.toMatchObject({ code: 'policy_denied' });
    expect(net.dialled).toEqual([`${publicAddress}:80`]);
  });

  it('ends after ten', async () => {
    await using net = await internet((_, response) => response.writeHead(302, { location: '/again' }).end());
    await expect(net.fetch('http://a.example/')).rejects.toMatchObject({ message: 'more than 10 redirects' });
    expect(net.requests).toHaveLength(11);
  });

  it('takes no credential to another origin, nor back', async () => {
    const back = to('http://a.example/end');
    const there = `http://b.example${back.slice('http://a.example'.length)}`;
    await using net = await internet(redirecting);
    const secret = { authorization: 'Bearer s', cookie: 'a=s', 'x-api-key': 's', 'proxy-authorization': 's' };
    await net.fetch(to(there), { headers: { ...secret, accept: 'text/html', 'user-agent': 'tool' } });
    expect(net.requests.map(({ headers }) => headers.host)).toEqual(['a.example', 'b.example', 'a.example']);
    expect(net.requests[0]?.headers).toMatchObject({ authorization: 'Bearer s', cookie: 'a=s', 'x-api-key': 's' });
    // That one is for a proxy.
    expect(net.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
    for (const { headers } of net.requests.slice(1)) {
      expect(headers).toMatchObject({ accept: 'text/html', 'user-agent': 'tool' });
      expect(Object.keys(headers).filter((name) => /auth|cookie|key/.test(name))).toEqual([]);
    }
  });

  it.each(['http://a.example:81/', 'https://a.example/', 'http://x.a.example/'])(
    'to %s is one to another origin',
    async (location) => {
      await using net = await internet(redirecting);
      await net.fetch(to(location), { headers: { authorization: 's' } }).catch(() => undefined);
      expect(net.requests.slice(1).map(({ headers }) => headers.authorization ?? null)).not.toContain('s');
    },
  );

  it('keeps credentials and body in its origin, and never takes a body out of it', async () => {
    await using net = await internet(redirecting);
    const init = { method: 'POST', body: 'text', headers: { authorization: 's' } };
    await net.fetch(to('/end', 307), init);
    expect(net.requests[1]).toMatchObject({ method: 'POST', headers: { authorization: 's', 'content-length': '4' } });
    await net.fetch(to('/end', 303), init);
    expect(net.requests[3]).toMatchObject({ method: 'GET', headers: { authorization: 's' } });
    expect(net.requests[3]?.headers).not.toHaveProperty('content-type');
    await expect(net.fetch(to('http://b.example/', 308), init)).rejects.toMatchObject({ code: 'policy_denied' });
    await net.fetch(to('http://b.example/', 302), init);
    expect(net.requests.at(-1)).toMatchObject({ method: 'GET', headers: { host: 'b.example' } });
  });

  it('is an answer like others when the caller follows by itself, and an error when it wants none', async () => {
    await using net = await internet(redirecting);
    const answer = await net.fetch(to('http://127.0.0.1/'), { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://127.0.0.1/']);
    await expect(net.fetch(to('/end'), { redirect: 'error' })).rejects.toMatchObject({ code: 'policy_denied' });
  });
});

describe('a request', () => {
  it('takes what fetch takes', async () => {
    await using net = await internet((request, response) => void request.pipe(response));
    const text = async (...args: Parameters<typeof net.fetch>) => await (await net.fetch(...args)).text();
    const url = 'http://a.example/';
    expect(await text(new Request(url, { method: 'PUT', body: 'one', headers: { 'x-a': 'b' } }))).toBe('one');
    expect(net.requests[0]).toMatchObject({ method: 'PUT', headers: { 'x-a': 'b' } });
    expect(await text(new URL(url), { method: 'post', body: new URLSearchParams({ a: '1' }) })).toBe('a=1');
    expect(net.requests[1]?.headers['content-type']).toContain('application/x-www-form-urlencoded');
    const form = new FormData();
    form.set('file', new Blob(['inside']), 'a.txt');
    expect(await text(url, { method: 'POST', body: form })).toContain('inside');
    const stream = new Response('streamed').body;
    expect(await text(url, { method: 'POST', body: stream, duplex: 'half' })).toBe('streamed');
  });

  it('says no other host than its URL, and holds no user', async () => {
    await using net = await internet(hello);
    await net.fetch('http://a.example/', { headers: { host: 'admin.example' } });
    expect(net.requests[0]?.headers.host).toBe('a.example');
    const failure: unknown = await net.fetch('http://user:secret@a.example/').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'invalid_argument', message: expect.not.stringContaining('secret') });
    await expect(net.fetch('a.example')).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(net.fetch('http://a.example/', { integrity: 'sha256-x' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('gets answers without a body as such', async () => {
    await using net = await internet((_, response) => response.writeHead(204).end());
    const answer = await net.fetch('http://a.example/');
    expect([answer.status, answer.body]).toEqual([204, null]);
  });
});

describe('TLS', () => {
  it('is checked against the name of the URL, not the address', async () => {
    const tls = certificateFor('a.example');
    await using net = await internet(hello, { tls });
    expect(await (await net.fetch('https://a.example/')).text()).toBe('hello');
    expect(net.dialled).toEqual([`${publicAddress}:443`]);
    await expect(net.fetch('https://b.example/')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
    });
    expect(net.requests).toHaveLength(1);
  });
});
