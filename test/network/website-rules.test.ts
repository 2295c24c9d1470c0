import { expect, it } from 'vitest';
import { canonicalHost } from '../../src/values/host.ts';
import { websiteRule } from '../../src/values/website-rule.ts';
import { indexWebsites } from '../../src/network/websites.ts';

/** Whether the rule, as it is written, blocks the host, as it is written. */
function blocks(rule: string, host: string): boolean {
  const read = websiteRule(rule);
  if (read === null) throw new Error(`no rule: ${rule}`);
  const canonical = canonicalHost(host);
  return canonical !== null && indexWebsites([{ ...read, source: 'test' }]).find(canonical) !== null;
}

it.each([
  ['admin.example.com', 'admin.example.com', true],
  ['admin.example.com', 'a.b.admin.example.com', true],
  ['admin.example.com', 'example.com', false],
  ['admin.example.com', 'notadmin.example.com', false],
  ['admin.example.com', 'admin.example.com.evil.org', false],
  ['*.internal.company.com', 'wiki.internal.company.com', true],
  ['*.internal.company.com', 'a.b.internal.company.com', true],
  ['*.internal.company.com', 'internal.company.com', false],
  ['*.internal.company.com', 'xinternal.company.com', false],
  ['www.example.com', 'example.com', true],
  ['www.example.com', 'www.example.com', true],
  ['www.example.com', 'api.example.com', true],
  ['www.com', 'www.com', true],
  ['www.com', 'example.com', false],
  ['ADMIN.Example.COM', 'admin.example.com', true],
  ['admin.example.com', 'Admin.EXAMPLE.com', true],
  ['admin.example.com.', 'admin.example.com', true],
  ['admin.example.com', 'admin.example.com.', true],
  ['https://admin.example.com:8443/path?q#f', 'admin.example.com', true],
  ['https://user:pw@admin.example.com/', 'admin.example.com', true],
  ['user@admin.example.com', 'admin.example.com', true],
  ['admin.example.com:8443', 'admin.example.com', true],
  ['admin.example.com/only/here', 'admin.example.com', true],
  ['https://*.example.com/', 'a.example.com', true],
  ['https://*.example.com/', 'example.com', false],
  ['bücher.example', 'xn--bcher-kva.example', true],
  ['xn--bcher-kva.example', 'BÜCHER.example', true],
  ['admin.example.com', 'ａｄｍｉｎ．example。com', true],
  ['admin.example.com', 'adm\u00adin.example.com', true],
  ['example.com', 'xn--a.example.com', true],
  ['intranet', 'intranet', true],
  ['intranet', 'wiki.intranet', true],
  ['127.0.0.1', '127.1', true],
  ['127.0.0.1', '0x7f000001', true],
  ['127.0.0.1', '2130706433', true],
  ['127.0.0.1', '[::ffff:127.0.0.1]', true],
  ['10.0.0.5', '10.0.0.50', false],
  ['::1', '[0:0:0:0:0:0:0:1]', true],
  ['[::1]', '::1', true],
  ['http://[::1]:8080/', '[::1]', true],
  ['fe80::1', '[fe80::1%25eth0]', true],
  ['::1', '[::2]', false],
])('the rule %s and the host %s: %s', (rule, host, expected) => {
  expect(blocks(rule, host)).toBe(expected);
});

it.each([
  '',
  '*',
  '*.',
  '*.*',
  'a*b.example.com',
  'two words.com',
  'https://',
  '[::1',
  '.',
  '@',
  '10.0.0.0/8',
  'fe80::/10',
])('does not take %j for a rule', (text) => {
  expect(websiteRule(text)).toBeNull();
});

it('tells the rule that is nearest to the host, and where it stands', () => {
  const rules = ['example.com', '*.b.example.com', 'b.example.com'].map((text, at) => {
    const rule = websiteRule(text);
    if (rule === null) throw new Error(text);
    return { ...rule, source: `list:${at + 1}` };
  });
  const { find } = indexWebsites(rules);
  expect(find('a.b.example.com')).toMatchObject({ text: 'b.example.com', source: 'list:3' });
  expect(find('c.example.com')).toMatchObject({ text: 'example.com', source: 'list:1' });
  expect(find('example.org')).toBeNull();
});

it('has another version with every rule', () => {
  const rules = ['example.com', '*.example.com'].map((text) => ({ text, host: 'example.com', source: '' }));
  const versions = [[], [false], [true]].map(
    (kinds) =>
      indexWebsites(kinds.flatMap((onlyBelow) => rules.slice(0, 1).map((rule) => ({ ...rule, onlyBelow })))).version,
  );
  expect(new Set(versions).size).toBe(3);
});
