import { describe, expect, it } from 'vitest';
import { rulesetOf } from '../../../src/egress/door/ruleset.ts';
import type { EgressRules } from '../../../src/egress/door/types.ts';
import { presetNames, presets } from '../../../src/values/egress-presets.ts';
import { indexWebsites } from '../../../src/network/websites.ts';
import { websiteRule } from '../../../src/values/website-rule.ts';
import { decide, type Question, someRules } from './rules.ts';

type Case = readonly [rules: Partial<EgressRules>, name: string, verdict: 'allow' | 'deny', rule: string];

/** NE-02, NE-11. */
const names: readonly Case[] = [
  [{}, 'ex.com', 'deny', 'no rule'],
  [{ allow: [] }, 'ex.com', 'deny', 'no rule'],
  [{ allow: ['*'] }, 'ex.com', 'allow', 'allow *'],
  [{ allow: ['ex.com'] }, 'ex.com', 'allow', 'allow ex.com'],
  [{ allow: ['EX.com.'] }, 'ex.com', 'allow', 'allow EX.com.'],
  [{ allow: ['ex.com'] }, 'a.ex.com', 'deny', 'no rule'],
  [{ allow: ['ex.com'] }, 'evilex.com', 'deny', 'no rule'],
  [{ allow: ['ex.com'] }, 'ex.com.evil', 'deny', 'no rule'],
  [{ allow: ['www.ex.com'] }, 'ex.com', 'deny', 'no rule'],
  [{ allow: ['*.ex.com'] }, 'ex.com', 'deny', 'no rule'],
  [{ allow: ['*.ex.com'] }, 'a.ex.com', 'allow', 'allow *.ex.com'],
  [{ allow: ['*.ex.com'] }, 'a.b.ex.com', 'allow', 'allow *.ex.com'],
  [{ allow: ['*.ex.com'] }, 'evilex.com', 'deny', 'no rule'],
  [{ allow: ['ex.com'], deny: ['ex.com'] }, 'ex.com', 'deny', 'deny ex.com'],
  [{ allow: ['*'], deny: ['ex.com'] }, 'a.b.ex.com', 'deny', 'deny ex.com'],
  [{ allow: ['*'], deny: ['ex.com'] }, 'evilex.com', 'allow', 'allow *'],
  [{ allow: ['*'], deny: ['*.ex.com'] }, 'ex.com', 'allow', 'allow *'],
  [{ allow: ['*'], deny: ['*.ex.com'] }, 'a.ex.com', 'deny', 'deny *.ex.com'],
  [{ allow: ['*'], deny: ['*.com'] }, 'ex.com', 'deny', 'deny *.com'],
  [{ allow: ['ex.com'], deny: ['*'] }, 'ex.com', 'deny', 'deny *'],
  [{ allow: ['bücher.example'] }, 'xn--bcher-kva.example', 'allow', 'allow bücher.example'],
];

/** NE-13. */
const ports: readonly (readonly [
  rules: Partial<EgressRules>,
  port: number,
  verdict: 'allow' | 'deny',
  rule: string,
])[] = [
  [{ allow: ['ex.com'] }, 80, 'allow', 'allow ex.com'],
  [{ allow: ['ex.com'] }, 443, 'allow', 'allow ex.com'],
  ...[22, 25, 53, 853].map((port) => [{ allow: ['ex.com'] }, port, 'deny', 'ports'] as const),
  [{ allow: ['ex.com'], ports: [22] }, 22, 'allow', 'allow ex.com'],
  [{ allow: ['ex.com:8443'] }, 8443, 'allow', 'allow ex.com:8443'],
  [{ allow: ['ex.com:8443'] }, 443, 'deny', 'ports'],
  [{ allow: ['*'], deny: ['ex.com:22'], ports: [22] }, 22, 'deny', 'deny ex.com:22'],
  [{ allow: ['*'], deny: ['ex.com:22'], ports: [22] }, 443, 'allow', 'allow *'],
  [{ allow: ['*'] }, 25, 'deny', 'ports'],
  [{ allow: ['*'] }, 0, 'deny', 'ports'],
];

describe('egress rules', () => {
  it.each(names)('%j: %s is %s by "%s"', (rules, name, verdict, rule) =>
    expect(decide(rules, { name })).toMatchObject({ verdict, rule }),
  );

  it.each(ports)('%j: port %i is %s by "%s"', (rules, port, verdict, rule) =>
    expect(decide(rules, { name: 'ex.com', port })).toMatchObject({ verdict, rule }),
  );

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a private address behind a public one', ['93.184.216.34', '192.168.1.1']],
    ['a private IPv6 address beside a public IPv4 one', ['93.184.216.34', 'fd00::1']],
    ['the metadata service', ['169.254.169.254']],
    ['200 addresses of which one is bad', [...Array.from({ length: 199 }, () => '93.184.216.34'), '127.0.0.1']],
    ['no address', []],
    ['a text that is no address', ['ex.com']],
  ])('deny an allowed name that has %s (NE-05, NE-08)', (_, answers) =>
    expect(decide({ allow: ['*'] }, { name: 'ex.com', answers })).toMatchObject({ verdict: 'deny', rule: 'address' }),
  );

  it('allow 200 addresses that are all public', () => {
    const answers = Array.from({ length: 200 }, (_, at) => `93.184.216.${at}`);
    expect(decide({ allow: ['ex.com'] }, { name: 'ex.com', answers })).toMatchObject({ verdict: 'allow' });
  });

  it.each(['localhost', 'a.localhost', 'metadata.google.internal', 'host.docker.internal'])(
    'deny %s, listed or not (NE-06)',
    (name) => expect(decide({ allow: [name] }, { name })).toMatchObject({ verdict: 'deny', rule: 'address' }),
  );

  it('deny a private address, listed or not, unless network.allow_private opens it with its port', () => {
    const question: Question = { name: '10.1.2.3', port: 8080, answers: ['10.1.2.3'] };
    const rules = { allow: ['10.1.2.3:8080'] };
    expect(decide(rules, question)).toMatchObject({ verdict: 'deny', rule: 'address' });
    const opened = { opened: [{ address: '10.1.2.3', port: 8080 }] };
    expect(decide(rules, { ...question, addresses: opened })).toMatchObject({ verdict: 'allow' });
    // An opened address alone allows nothing.
    expect(decide({}, { ...question, addresses: opened })).toMatchObject({ verdict: 'deny', rule: 'no rule' });
  });

  it('deny a name that resolves to a denied address', () => {
    const rules = { allow: ['*'], deny: ['93.184.216.34'] };
    expect(decide(rules, { name: 'ex.com' })).toMatchObject({ verdict: 'deny', rule: 'deny 93.184.216.34' });
    expect(decide(rules, { name: 'ex.com', answers: ['93.184.216.35'] })).toMatchObject({ verdict: 'allow' });
  });

  it('stand below the website blocklist', () => {
    const rule = websiteRule('ex.com');
    const sites = indexWebsites(rule === null ? [] : [{ ...rule, source: 'here' }]);
    const addresses = { blockedSite: (host: string) => (sites.find(host) === null ? null : 'blocked') };
    const question = { name: 'a.ex.com', addresses };
    expect(decide({ allow: ['*'] }, question)).toMatchObject({ verdict: 'deny', rule: 'security.website_blocklist' });
    expect(decide({ allow: ['*'] }, { ...question, name: 'ex.org' })).toMatchObject({ verdict: 'allow' });
  });

  it('name the preset that allows a host, and deny is over presets too', () => {
    const question = { name: 'files.tool.example', presets: { tool: ['tool.example', '*.tool.example'] } };
    expect(decide({ presets: ['tool'] }, question)).toMatchObject({ verdict: 'allow', rule: 'preset tool' });
    expect(decide({}, question)).toMatchObject({ verdict: 'deny', rule: 'no rule' });
    const deny = ['files.tool.example'];
    expect(decide({ presets: ['tool'], deny }, question)).toMatchObject({ verdict: 'deny' });
  });
});

describe('egress rules that cannot hold', () => {
  it.each([
    [{ allow: ['*.com'] }, 'strangers register names below com'],
    [{ allow: ['*.co.uk'] }, 'strangers register names below co.uk'],
    [{ allow: ['*.github.io'] }, 'strangers register names below github.io'],
    [{ allow: ['a.*.com'] }, 'it is no host'],
    [{ allow: ['*.10.0.0.1'] }, 'nothing is below an address'],
    [{ allow: ['10.0.0.0/8'] }, 'it is no host'],
    [{ allow: ['https://ex.com/'] }, 'it is no host'],
    [{ allow: ['ex.com/a'] }, 'it is no host'],
    [{ allow: ['ex.com/;./a'] }, 'it is no host'],
    [{ allow: [''] }, 'it is no host'],
    [{ allow: [`${'a'.repeat(64)}.`.repeat(4)] }, 'it is no host'],
    [{ allow: ['ex.com:70000'] }, '70000 is no port'],
    [{ allow: ['ex.com:25'] }, 'port 25 is never opened'],
    [{ deny: ['ex .com'] }, 'it is no host'],
    [{ ports: [25] }, 'port 25 is never opened'],
    [{ ports: [0] }, 'it is no port'],
    [{ presets: ['unknown'] }, 'there is no preset "unknown"'],
    [{ presets: ['constructor'] }, 'there is no preset "constructor"'],
  ])('%j are refused: %s', (rules, message) => {
    const compile = (): unknown => rulesetOf(someRules(rules));
    expect(compile).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(message) }),
    );
  });

  it('know as many presets as the configuration takes, each of hosts that may be allowed', () => {
    expect([...presetNames].toSorted()).toEqual(Object.keys(presets).toSorted());
    const { allow } = rulesetOf(someRules({ presets: presetNames }));
    expect(allow).toHaveLength(Object.values(presets).flat().length);
  });

  it.each([
    ['npm', 'files.npmjs.org', 'npmjs.org.evil.example'],
    ['python', 'files.pythonhosted.org', 'evilpythonhosted.org'],
    ['cargo', 'static.crates.io', 'crates.io'],
    ['maven', 'files.maven.apache.org', 'www.apache.org'],
    ['debian', 'cdn-fastly.deb.debian.org', 'popcon.debian.org'],
    ['alpine', 'files.alpinelinux.org', 'alpinelinux.org.evil.example'],
  ])('reach the hosts of %s by its preset, and no others', (preset, host, other) => {
    const rules = { presets: [preset] };
    const { verdict, rule } = decide(rules, { name: host, presets });
    expect([verdict, rule]).toEqual(['allow', `preset ${preset}`]);
    expect(decide(rules, { name: other, presets })).toMatchObject({ verdict: 'deny', rule: 'no rule' });
    expect(decide({}, { name: host, presets })).toMatchObject({ verdict: 'deny', rule: 'no rule' });
  });

  it('do not include the presets that come with Caisson', () =>
    expect(rulesetOf(someRules({ presets: ['github', 'gitlab'] })).allow.length).toBeGreaterThan(5));
});
