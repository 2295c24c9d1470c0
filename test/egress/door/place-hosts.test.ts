/** Egress rules as a list of a place: never wider than the rules, and what the list cannot say is refused. */
import { describe, expect, it } from 'vitest';
import type { PlaceFilter } from '../../../src/backend.ts';
import { placeHosts } from '../../../src/egress/door/place-hosts.ts';
import { judgeTarget } from '../../../src/egress/door/decide.ts';
import { rulesetOf } from '../../../src/egress/door/ruleset.ts';
import type { EgressRules } from '../../../src/egress/door/types.ts';
import { indexWebsites } from '../../../src/network/websites.ts';
import { websiteRule } from '../../../src/values/website-rule.ts';

const tls: PlaceFilter = { ports: [443], mostHosts: 5 };
const web: PlaceFilter = { ports: [80, 443], mostHosts: 5 };

function sites(...texts: readonly string[]) {
  return indexWebsites(
    texts.flatMap((text) => {
      const rule = websiteRule(text);
      return rule === null ? [] : [{ ...rule, source: 'test' }];
    }),
  );
}

function hosts(rules: Partial<EgressRules>, filter = tls, websites = sites()): readonly string[] {
  const egress = rulesetOf({ allow: [], deny: [], ports: [], presets: [], ...rules });
  return placeHosts({ backend: 'there', egress, websites, filter });
}

describe('rules that a list can say', () => {
  it.each<[string, Partial<EgressRules>, PlaceFilter, readonly string[]]>([
    ['nothing', {}, tls, []],
    ['names', { allow: ['b.example', 'A.example', '*.example.com'] }, tls, ['*.example.com', 'a.example', 'b.example']],
    ['a name twice', { allow: ['a.example', 'a.example:443'] }, web, ['a.example']],
    ['the one port that it opens', { allow: ['a.example:443'] }, tls, ['a.example']],
    ['both ports that it opens', { allow: ['a.example:443', 'a.example:80'] }, web, ['a.example']],
    ['ports that are usual', { allow: ['a.example'], ports: [80, 443] }, tls, ['a.example']],
    ['other ports, which no name without a port has', { allow: ['a.example:443'], ports: [8443] }, tls, ['a.example']],
    ['a preset', { presets: ['python'] }, web, ['*.pythonhosted.org', 'pypi.org']],
  ])('%s', (_what, rules, filter, expected) => {
    expect(hosts(rules, filter)).toEqual(expected);
  });

  it.each<[string, string, string]>([
    ['itself', 'a.example', 'a.example'],
    ['what is above it', 'a.b.example', 'b.example'],
    ['what is above it, without that', 'a.b.example', '*.b.example'],
    ['everything', 'a.example', '*'],
    ['its only port', 'a.example', 'a.example:443'],
    ['the same wildcard', '*.a.example', '*.a.example'],
    ['the name of a wildcard', '*.a.example', 'a.example'],
  ])('a denial of %s leaves the name out', (_what, allow, deny) => {
    expect(hosts({ allow: [allow, 'other.test'], deny: [deny] })).toEqual(deny === '*' ? [] : ['other.test']);
  });

  it.each([
    ['a.example', 'b.a.example'],
    ['a.example', '*.a.example'],
    ['a.example', 'a.example:22'],
    ['*.a.example', 'ba.example'],
    ['a.example', 'ba.example'],
  ])('%s, untouched by a denial of %s', (allow, deny) => {
    expect(hosts({ allow: [allow], deny: [deny] })).toEqual([allow]);
  });

  it('a site that the website policy blocks is left out', () => {
    expect(hosts({ allow: ['a.example', 'www.b.example'] }, tls, sites('b.example'))).toEqual(['a.example']);
  });
});

describe('rules that a list cannot say', () => {
  it.each<[string, Partial<EgressRules>, PlaceFilter, RegExp]>([
    ['every name', { allow: ['*'] }, tls, /allow \* \(it lists names/],
    ['an address', { allow: ['203.0.113.7'] }, tls, /allow 203\.0\.113\.7 \(it opens every port/],
    ['an IPv6 address', { allow: ['2001:db8::1'] }, tls, /it opens every port/],
    ['another port', { allow: ['a.example:8443'] }, tls, /allow a\.example:8443 \(it opens port 443 alone/],
    ['plain http', { allow: ['a.example:80'] }, tls, /a\.example:80 \(it opens port 443 alone/],
    ['one of two ports', { allow: ['a.example:443'] }, web, /it would open port 80 as well/],
    [
      'other ports for all',
      { allow: ['a.example'], ports: [8443, 22] },
      web,
      /port 8443 \(it opens ports 80 and 443 alone.*port 22/,
    ],
    ['a name without a dot', { allow: ['intranet'] }, tls, /allow intranet \(it lists names with a dot/],
    ['a name with other letters', { allow: ['a_b.example'] }, tls, /of letters, digits and hyphens/],
    ['a name for this host', { allow: ['x.localhost'] }, tls, /a name for this host/],
    ['the metadata of a cloud', { allow: ['metadata.google.internal'] }, tls, /the metadata service/],
    [
      'a hole',
      { allow: ['*.a.example'], deny: ['x.a.example'] },
      tls,
      /deny x\.a\.example \(it cuts a part of \*\.a\.example/,
    ],
    ['a hole below', { allow: ['*.a.example'], deny: ['*.x.a.example'] }, tls, /it cuts a part/],
    ['a denied port', { allow: ['a.example'], deny: ['a.example:80'] }, web, /it cuts a part of a\.example/],
    [
      'a denied address',
      { allow: ['a.example'], deny: ['203.0.113.7'] },
      tls,
      /deny 203\.0\.113\.7 \(it does not look/,
    ],
    [
      'too many',
      { allow: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example`) },
      tls,
      /6 hosts \(its list has 5/,
    ],
  ])('%s', (_what, rules, filter, message) => {
    expect(() => hosts(rules, filter)).toThrow(expect.objectContaining({ code: 'not_supported' }));
    expect(() => hosts(rules, filter)).toThrow(message);
  });

  it('a site that the website policy blocks below a wildcard', () => {
    expect(() => hosts({ allow: ['*.a.example'] }, tls, sites('x.a.example'))).toThrow(/deny x\.a\.example/);
  });

  it('names each of them, and what to do', () => {
    const rules = { allow: ['*', '203.0.113.7', 'a.example'], ports: [22] };
    const details = { backend: 'there', rules: expect.objectContaining({ length: 3 }) };
    expect(() => hosts(rules)).toThrow(expect.objectContaining({ details, remedy: expect.stringContaining('docker') }));
  });
});

it('is never wider than what the egress proxy would let through', () => {
  const names = ['a.example', 'x.a.example', 'y.x.a.example', 'b.example', 'x.b.example', 'ba.example'];
  const patterns = [
    ...names,
    ...names.map((name) => `*.${name}`),
    'a.example:443',
    'x.a.example:80',
    '*.a.example:443',
  ];
  let said = 0;
  for (const allow of patterns)
    for (const also of patterns)
      for (const deny of patterns)
        for (const filter of [tls, web])
          said += checkAgainstProxy({ allow: [allow, also], deny: [deny] }, filter, names);
  expect(said).toBeGreaterThan(1000);
});

/** How many lists were compared: 0 or 1. */
function checkAgainstProxy(rules: Partial<EgressRules>, filter: PlaceFilter, names: readonly string[]): number {
  const list = orNull(() => hosts(rules, filter));
  if (list === null) return 0;
  const egress = rulesetOf({ allow: [], deny: [], ports: [], presets: [], ...rules });
  const addresses = { opened: [], nat64: null, own: new Set<string>(), engines: [], blockedSite: () => null };
  for (const name of names)
    for (const port of filter.ports) {
      const isListed = list.some((each) => (each.startsWith('*.') ? name.endsWith(each.slice(1)) : each === name));
      const { verdict } = judgeTarget({ name, port }, { egress, addresses });
      if (isListed && verdict === 'deny')
        expect.fail(`${JSON.stringify(rules)}: ${list.join()} lets ${name}:${port} out`);
    }
  return 1;
}

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
