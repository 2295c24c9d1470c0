import { describe, expect, it } from 'vitest';
import { readAuthority, readPlain } from '../../../src/egress/door/request.ts';

describe('the target of CONNECT', () => {
  it.each([
    ['a.example:443', 'a.example', 443],
    ['A.EXAMPLE.:443', 'a.example', 443],
    ['[FD12::1]:8443', 'fd12::1', 8443],
    // The spellings of NE-07 are the address that they mean, which is judged as such.
    ['0x7f.1:443', '127.0.0.1', 443],
    ['0177.0.0.1:443', '127.0.0.1', 443],
    ['2130706433:443', '127.0.0.1', 443],
    ['127.1:443', '127.0.0.1', 443],
    ['[::ffff:7f00:1]:443', '127.0.0.1', 443],
    ['localhost.:443', 'localhost', 443],
  ])('%s is %s at port %i', (text, name, port) => expect(readAuthority(text)).toEqual({ name, port }));

  it.each([
    'a.example',
    'a.example:',
    'a.example:0',
    'a.example:99999',
    'a.example:443x',
    ':443',
    'user@a.example:443',
    'http://a.example:443',
    'a.example\\@b.example:443',
    'a.example:443\r\nx: y',
    'evil.example\0.a.example:443',
    'evil.example .a.example:443',
    'evil.example#a.example:443',
    '%61.example:443',
    '①②⑦.0.0.1:443',
    '::1:443',
    '[::1%eth0]:443',
    `${'a'.repeat(300)}:443`,
    '',
  ])('%j is refused (NE-16)', (text) => expect(readAuthority(text)).toBeNull());
});

const asked = (url: string, ...rawHeaders: readonly string[]) =>
  readPlain({ method: 'GET', url, httpVersion: '1.1', rawHeaders: ['Host', 'a.example', ...rawHeaders] });

describe('a plain request', () => {
  it('is written anew: target, path, and headers that are not of the connection', () => {
    const headers = ['X-One', '1', 'Proxy-Authorization', 'Basic x', 'Connection', 'close, X-Two', 'X-Two', '2'];
    expect(asked('http://A.example/a/../b?c=%2F', ...headers, 'Upgrade', 'h2c', 'TE', 'trailers')).toEqual({
      target: { name: 'a.example', port: 80 },
      method: 'GET',
      path: '/a/../b?c=%2F',
      headers: ['host', 'a.example', 'X-One', '1'],
    });
    expect(asked('http://a.example?q')).toMatchObject({ path: '/?q' });
    expect(asked('http://a.example')).toMatchObject({ path: '/' });
  });

  it('keeps the length of its body, which no Connection header takes away', () => {
    expect(asked('http://a.example/', 'Content-Length', '3', 'Connection', 'content-length')).toMatchObject({
      headers: ['host', 'a.example', 'Content-Length', '3'],
    });
    expect(asked('http://a.example/', 'Transfer-Encoding', 'Chunked')).toMatchObject({
      headers: ['host', 'a.example', 'transfer-encoding', 'chunked'],
    });
  });

  it.each(['/', 'https://a.example/', 'ftp://a.example/', 'http://user@a.example/', 'http://a.example\\@b.example/'])(
    'for %s is refused',
    (url) => expect(asked(url)).toBe('the target is no absolute http: URL'),
  );

  it.each([
    [['Host', 'a.example']],
    [['Content-Length', '1', 'Transfer-Encoding', 'chunked']],
    [['Content-Length', '1', 'Content-Length', '1']],
    [['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'identity']],
    [['Transfer-Encoding', 'gzip, chunked']],
    [['Content-Length', '+1']],
    [['Content-Length', '1, 1']],
  ])('with %j is refused (NE-16)', (headers) => expect(asked('http://a.example/', ...headers)).toBeTypeOf('string'));

  it.each([
    ['http://a.example/', 'b.example'],
    ['http://a.example:8080/', 'a.example'],
    ['http://a.example/', 'a.example:8080'],
    ['http://a.example/', ''],
  ])('for %s with Host %j is refused (NE-12)', (url, host) =>
    expect(readPlain({ method: 'GET', url, httpVersion: '1.1', rawHeaders: ['Host', host] })).toBe(
      'the Host header names another host',
    ),
  );

  it('needs a Host header, but for HTTP/1.0', () => {
    const plain = { method: 'GET', url: 'http://a.example/', rawHeaders: [] };
    expect(readPlain({ ...plain, httpVersion: '1.1' })).toBe('there must be one Host header');
    expect(readPlain({ ...plain, httpVersion: '1.0' })).toMatchObject({ headers: ['host', 'a.example'] });
  });
});
