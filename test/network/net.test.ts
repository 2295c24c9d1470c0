import { once } from 'node:events';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openNet } from '../../src/network/net.ts';
import { purposeOf, readIp } from '../../src/values/ip.ts';

describe('openNet', () => {
  it('blocks what this host runs, by the real resolver and the real network', async () => {
    const net = openNet();
    await expect(net.fetch('http://localhost:1/')).rejects.toMatchObject({ code: 'policy_denied' });
    expect(await net.check('http://127.0.0.1/')).toEqual({
      verdict: 'block',
      reason: '127.0.0.1 is a loopback address',
    });
    expect(await net.check('http://no-such-name.invalid/')).toEqual({
      verdict: 'block',
      reason: '"no-such-name.invalid" is not resolved',
    });
    expect(await net.check('x')).toMatchObject({ verdict: 'block' });
    expect(await net.check('http://8.8.8.8/')).toMatchObject({ verdict: 'allow' });
    await Promise.all([net.close(), net.close()]);
  });

  it('refuses options that cannot hold, and takes a list of sites', async () => {
    expect(() => openNet({ allowPrivate: ['127.0.0.1:80'] })).toThrow('a loopback address is never opened');
    expect(() => openNet({ nat64Prefix: 'x' })).toThrow('no prefix of NAT64');
    expect(() => openNet({ blockedDomains: ['/'] })).toThrow('names no host');
    const net = openNet({ blockedDomains: ['admin.example.com'] });
    await expect(net.fetch('http://x.admin.example.com/')).rejects.toMatchObject({
      message: expect.stringContaining('website policy'),
    });
    await net.close();
  });

  const address = Object.values(networkInterfaces())
    .flatMap((each) => each?.map((one) => one.address) ?? [])
    .find((each) => {
      const ip = readIp(each);
      return ip !== null && purposeOf(ip) === 'private';
    });

  it.skipIf(address === undefined)(
    'reaches a private address that is opened, at its port alone (skipped where this host has no private address)',
    async () => {
      const server = createServer((_, response) => response.end('hello')).listen(0, address);
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
      const host = address?.includes(':') === true ? `[${address}]` : address;
      const url = `http://${host}:${port}/`;
      const [closed, open] = [openNet(), openNet({ allowPrivate: [`${host}:${port}`] })];
      await expect(closed.fetch(url)).rejects.toMatchObject({ code: 'policy_denied' });
      expect(await (await open.fetch(url)).text()).toBe('hello');
      await expect(open.fetch(`http://${host}:${port === 65_535 ? 1 : port + 1}/`)).rejects.toMatchObject({
        code: 'policy_denied',
      });
      await Promise.all([closed.close(), open.close()]);
    },
  );
});
