import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeUrls } from '../../../src/network/address/url.ts';
import { addressRules } from '../../../src/network/address/rules.ts';
import type { AddressRules } from '../../../src/network/address/types.ts';
import { websiteRule } from '../../../src/values/website-rule.ts';
import { indexWebsites } from '../../../src/network/websites.ts';
import { noRules } from './rules.ts';

const verdict = (url: string, rules: Partial<AddressRules> = {}, dns?: readonly string[]): string =>
  judgeUrls({ url, ...(dns === undefined ? {} : { dns }) }, { ...noRules, ...rules }).verdict;
const reason = (url: string, dns?: readonly string[], redirects: readonly string[] = []): string =>
  judgeUrls({ url, redirects, ...(dns === undefined ? {} : { dns }) }, noRules).reason;

const noWebsites = indexWebsites([]);
const rulesOf = (allowPrivate: readonly string[], nat64Prefix: string | null = null, env = {}): AddressRules => ({
  ...addressRules({ allowPrivate, nat64Prefix, env, websites: noWebsites }),
  own: new Set(['10.9.9.9', '203.0.114.1']),
});
const open = ['93.184.216.34'];

describe('a name', () => {
  it('is blocked while it is not resolved, and when its lookup gave nothing', () => {
    expect([reason('https://example.com/'), reason('https://example.com/', [])]).toEqual([
      'not resolved',
      'not resolved',
    ]);
  });

  it('is blocked by one bad answer among many (NE-08)', () => {
    const many = Array.from({ length: 200 }, (_, at) => `93.184.216.${at}`);
    expect(verdict('http://a.example/', {}, many)).toBe('allow');
    expect(verdict('http://a.example/', {}, [...many, '::1'])).toBe('block');
    expect(reason('http://a.example/', [...open, 'fe80::1'])).toBe(
      '"a.example" resolves to a blocked address: fe80::1 is a link-local address',
    );
  });

  it.each(['93.184.216', '0x5d.1', 'example.org', '', '2606:4700::1%eth0', '[2606:4700::1]'])(
    'is blocked by the answer %j, which is no address',
    (answer) => expect(verdict('http://a.example/', {}, [answer])).toBe('block'),
  );

  it.each([
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'ip6-localhost',
    'metadata.google.internal',
    'metadata.goog.',
    'Host.Docker.Internal',
    'gateway.docker.internal',
    'host.containers.internal',
    'instance-data',
    'l\u00adocalhost',
    '\uff4cocalhost',
    '%6cocalhost',
  ])('%s is blocked whatever it resolves to (NE-06)', (host) =>
    expect(verdict(`http://${host}/`, {}, open)).toBe('block'),
  );

  it.each(['localhost.example.com', 'mylocalhost', 'metadata.google.internal.example.com'])(
    '%s only looks like one, and its addresses count',
    (host) => expect(verdict(`http://${host}/`, {}, open)).toBe('allow'),
  );

  it('is blocked by the website policy, also behind a redirect', () => {
    const rule = websiteRule('admin.example.com');
    const websites = indexWebsites(rule === null ? [] : [{ ...rule, source: 'a test' }]);
    const rules = addressRules({ allowPrivate: [], nat64Prefix: null, env: {}, websites });
    const judge = (url: string, redirects: readonly string[] = []) => judgeUrls({ url, dns: open, redirects }, rules);
    expect(judge('https://ADMIN.example.com./').reason).toContain('website policy of a test');
    expect(judge('https://example.com/', ['https://x.admin.example.com/']).verdict).toBe('block');
    expect(judge('https://example.com/').verdict).toBe('allow');
  });

  it('is blocked by the website policy before it is resolved, and by its address', () => {
    const [name, address] = ['admin.example.com', '93.184.216.34'].map((host) => websiteRule(host));
    const websites = indexWebsites([name, address].flatMap((rule) => (rule ? [{ ...rule, source: 'a test' }] : [])));
    const rules = addressRules({ allowPrivate: [], nat64Prefix: null, env: {}, websites });
    const reasons = ['http://admin.example.com../', 'http://93.184.216.34/', 'http://[::ffff:93.184.216.34]/'].map(
      (url) => judgeUrls({ url }, rules).reason,
    );
    expect(reasons).toEqual([
      'admin.example.com is blocked by the website policy of a test',
      '93.184.216.34 is blocked by the website policy of a test',
      '93.184.216.34 is blocked by the website policy of a test',
    ]);
  });
});

describe('a redirect', () => {
  it('is judged from where it comes, and named by its number (NE-09)', () => {
    expect(reason('https://example.com/a', open, ['/b', '//10.0.0.1/c'])).toBe(
      'redirect 2: 10.0.0.1 is a private address',
    );
    expect(reason('https://example.com/a', open, ['gopher://example.com/'])).toContain('redirect 1: the scheme');
  });

  it('is one of at most ten', () => {
    const hops = Array.from({ length: 10 }, (_, at) => `/${at}`);
    expect(verdictOf(hops)).toBe('allow');
    expect(verdictOf([...hops, '/more'])).toBe('block');
  });
  const verdictOf = (redirects: readonly string[]): string =>
    judgeUrls({ url: 'https://example.com/', dns: open, redirects }, noRules).verdict;
});

describe('network.allow_private', () => {
  it('opens one address at one port', () => {
    const rules = rulesOf(['10.1.2.3:8080', '[fd12::1]:443', '100.64.1.1:80', '10.9.9.9:5000']);
    const allowed = ['http://10.1.2.3:8080/', 'http://[::ffff:10.1.2.3]:8080/', 'https://[fd12:0::1]/'];
    for (const url of [...allowed, 'http://100.64.1.1/', 'http://10.9.9.9:5000'])
      expect([url, verdict(url, rules)]).toEqual([url, 'allow']);
    for (const url of ['http://10.1.2.3/', 'http://10.1.2.4:8080/', 'http://[fd12::1]/', 'http://10.9.9.9/'])
      expect([url, verdict(url, rules)]).toEqual([url, 'block']);
    expect(verdict('http://wiki.example:8080/', rules, ['10.1.2.3'])).toBe('allow');
    expect(verdict('http://wiki.example:8080/', rules, ['10.1.2.3', '10.1.2.4'])).toBe('block');
  });

  it.each([
    '127.0.0.1:80',
    '[::1]:80',
    '169.254.1.1:80',
    '169.254.169.254:80',
    '[fe80::1]:80',
    '[fd00:ec2::254]:80',
    '100.100.100.200:80',
    '168.63.129.16:80',
    '0.0.0.0:80',
    '10.0.0.1:2375',
    '10.0.0.1:2376',
    '8.8.8.8:53',
    '224.0.0.1:80',
    '10.0.0.1',
    '10.0.0.1:0',
    '10.0.0.1:65536',
    '10.0.0.0/8:80',
    '010.0.0.1:80',
    'wiki.example:80',
    'fd12::1:80',
    '',
  ])('never takes %j', (text) => expect(() => rulesOf([text])).toThrow('cannot be opened'));

  it('never opens the engine of this host, whatever its port is', () => {
    const engine = { DOCKER_HOST: 'tcp://10.1.2.3:8080' };
    expect(verdict('http://10.1.2.3:8080/', rulesOf(['10.1.2.3:8080'], null, engine))).toBe('block');
    const named = { CONTAINER_HOST: 'tcp://engine.example:8080' };
    expect(verdict('http://10.1.2.3:8080/', rulesOf(['10.1.2.3:8080'], null, named))).toBe('block');
    const socket = { DOCKER_HOST: 'unix:///var/run/docker.sock' };
    expect(verdict('http://10.1.2.3:8080/', rulesOf(['10.1.2.3:8080'], null, socket))).toBe('allow');
  });
});

describe('where an engine listens', () => {
  const verdicts = (rules: AddressRules, urls: readonly string[]): readonly string[] =>
    urls.map((url) => verdict(url, rules));

  it('one address is closed at one port, and open at others', () => {
    const rules = rulesOf([], null, { DOCKER_HOST: 'tcp://93.184.216.34:8080' });
    expect(reasonUnder(rules, 'http://93.184.216.34:8080/')).toBe('93.184.216.34 is where a container engine listens');
    const others = ['http://93.184.216.34/', 'http://93.184.216.34:8081/', 'http://93.184.216.35:8080/'];
    expect(verdicts(rules, others)).toEqual(['allow', 'allow', 'allow']);
  });

  it('every address is closed at the port of an engine that has a name, and open at others', () => {
    const rules = rulesOf([], null, { CONTAINER_HOST: 'tcp://engine.example:8080' });
    expect(verdicts(rules, ['http://93.184.216.34:8080/', 'http://[2606:4700::1]:8080/'])).toEqual(['block', 'block']);
    expect(verdicts(rules, ['http://93.184.216.34/', 'http://[2606:4700::1]:8081/'])).toEqual(['allow', 'allow']);
  });

  it('one of two engines is enough', () => {
    const both = { DOCKER_HOST: 'tcp://93.184.216.34:1234', CONTAINER_HOST: 'tcp://93.184.216.35:4321' };
    const urls = ['34:1234', '35:4321', '34:4321', '35:1234'].map((end) => `http://93.184.216.${end}/`);
    expect(verdicts(rulesOf([], null, both), urls)).toEqual(['block', 'block', 'allow', 'allow']);
  });
  const reasonUnder = (rules: AddressRules, url: string): string => judgeUrls({ url }, rules).reason;
});

describe('a host with dots at its end', () => {
  it.each(['localhost.', 'localhost..', 'metadata...', 'host.docker.internal..', '127.0.0.1..', '10.0.0.1...'])(
    '%s is the host without them, whatever a lookup answers',
    (host) => expect(verdict(`http://${host}/`, {}, open)).toBe('block'),
  );

  it('is public where the host is', () => expect(verdict('http://93.184.216.34../')).toBe('allow'));
});

it.each(['[::1]', '[fe80::1]', '[::ffff:10.0.0.1]'])('the address %s is judged itself, not by a lookup', (host) => {
  expect(verdict(`http://${host}/`, {}, open)).toBe('block');
  expect(judgeUrls({ url: `http://${host}/`, dns: open }, noRules).reason).not.toContain('[');
});

it('the addresses of this host are blocked, also those on the internet', () => {
  expect(verdict('http://203.0.114.1/', rulesOf([]))).toBe('block');
  expect(verdict('http://203.0.114.2/', rulesOf([]))).toBe('allow');
  expect(addressRules({ allowPrivate: [], nat64Prefix: null, env: {}, websites: noWebsites }).own).toContain(
    '127.0.0.1',
  );
});

describe('network.nat64_prefix', () => {
  it.each([
    ['64:ff9b::/96', '64:ff9b::808:808', '64:ff9b::7f00:1'],
    ['2001:db8::/32', '2001:db8:808:808::', '2001:db8:7f00:1::'],
    ['2001:db8:100::/40', '2001:db8:108:808:8::', '2001:db8:17f:0:1::'],
    ['2001:db8:122::/48', '2001:db8:122:808:8:800::', '2001:db8:122:7f00:0:100::'],
    ['2001:db8:122:300::/56', '2001:db8:122:308:8:808::', '2001:db8:122:37f:0:1::'],
    ['2001:db8:122:344::/64', '2001:db8:122:344:8:808:800::', '2001:db8:122:344:7f:0:100::'],
    ['fd00:64::/96', 'fd00:64::808:808', 'fd00:64::a00:1'],
  ])('%s is judged by the address that it holds', (prefix, open, closed) => {
    const rules = rulesOf([], prefix);
    expect([verdict(`http://[${open}]/`, rules), verdict(`http://[${closed}]/`, rules)]).toEqual(['allow', 'block']);
    expect(verdict(`http://[${open}]/`)).toBe('block');
  });

  it.each(['64:ff9b::/95', '64:ff9b::1/96', '10.0.0.0/8', '64:ff9b::', 'x'])('never is %j', (prefix) =>
    expect(() => rulesOf([], prefix)).toThrow('no prefix of NAT64'),
  );
});

describe('for any text', () => {
  it('there is a verdict, and a reason that is short', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), texts, texts, (url, dns, redirects) => {
        const { verdict, reason } = judgeUrls({ url, dns, redirects }, noRules);
        expect(['allow', 'block']).toContain(verdict);
        expect(reason.length).toBeLessThan(1000);
      }),
    );
  });

  it('a URL is allowed exactly when it is allowed with each of its answers alone', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.ipV4(), fc.ipV6(), (url, four, six) => {
        const allowed = judgeUrls({ url, dns: [four, six] }, noRules).verdict === 'allow';
        const alone = [four, six].map((answer) => judgeUrls({ url, dns: [answer] }, noRules).verdict);
        expect(allowed).toBe(alone.every((each) => each === 'allow'));
      }),
    );
  });
});
