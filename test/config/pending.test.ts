/** Differences of an edited file from what was read. */
import { expect, it } from 'vitest';
import { collectDefaults, unsectioned } from '../../src/config/defaults.ts';
import { forbidsMore } from '../../src/config/forbidden.ts';
import { nothingPending, pendingOf, type PendingState } from '../../src/config/pending.ts';
import type { Config } from '../../src/config/types.ts';

const base: Config = { ...collectDefaults({ usual: 'docker', configs: {} }), ...unsectioned };
const read = (config: Config) => ({ config, origins: {} });
const withRules = (rules: Config['approvals']['rules'], more: Partial<Config> = {}): Config => ({
  ...base,
  ...more,
  approvals: { ...base.approvals, rules },
});
const standing = (config: Config, more: Partial<PendingState> = {}): PendingState => ({
  now: read(config),
  added: [],
  edits: [],
  ...more,
});

it('the same file leaves nothing to be said', () => {
  expect(pendingOf(standing(base), read({ ...base }))).toEqual(nothingPending);
});

it('rules that ask or deny hold, wherever they stand, and rules that allow wait for a reload', () => {
  const file = withRules(
    { deny: ['terminal(git push:*)'], allow: ['terminal(make:*)'] },
    {
      owners: { alice: { rules: { ask: ['terminal(npm:*)'] } } },
      tasks: { 'ci-*': { rules: { deny: ['write_file(src/**)'] } } },
    },
  );
  expect(pendingOf(standing(base), read(file))).toMatchObject({
    holds: [
      'approvals.rules.deny: terminal(git push:*)',
      'owners.alice.rules.ask: terminal(npm:*)',
      'tasks.ci-*.rules.deny: write_file(src/**)',
    ],
    loosens: ['approvals.rules.allow: terminal(make:*)'],
    reload: expect.arrayContaining(['approvals.rules', 'owners', 'tasks']),
  });
});

it('what a reload would no longer forbid, and would allow, is listed', () => {
  const now = withRules({ deny: ['terminal(make:*)'] });
  const file: Config = {
    ...base,
    command_allowlist: ['rm'],
    approvals: { ...base.approvals, tool_mode: 'autonomous' },
    network: { ...base.network, allow: ['example.com'], mode: 'open' },
  };
  const strict: Config = {
    ...now,
    approvals: { ...now.approvals, tool_mode: 'supervised' },
    network: { ...base.network, deny: ['evil.example'], mode: 'filtered' },
  };
  expect(pendingOf(standing(strict), read(file)).loosens.toSorted()).toEqual([
    'approvals.rules.deny: without terminal(make:*)',
    'approvals.tool_mode: autonomous',
    'command_allowlist: rm',
    'network.allow: example.com',
    'network.deny: without evil.example',
    'network.mode: open',
  ]);
});

it('hosts that are denied hold, wherever they stand, and those that are so no longer wait for a reload', () => {
  const blocking = (...domains: string[]): Config['security'] => ({
    ...base.security,
    website_blocklist: { domains, shared_files: ['/etc/blocked'] },
  });
  const now: Config = { ...base, security: blocking('old.example') };
  const file: Config = {
    ...base,
    network: { ...base.network, deny: ['a.example'] },
    owners: { alice: { network: { deny: ['b.example'], allow: ['c.example'] } } },
    tasks: { 'web-*': { network: { deny: ['d.example'] } } },
    security: blocking('new.example'),
  };
  expect(forbidsMore(file, [now])).toBe(true);
  expect(pendingOf(standing(now), read(file))).toMatchObject({
    holds: [
      'network.deny: a.example',
      'owners.alice.network.deny: b.example',
      'tasks.web-*.network.deny: d.example',
      'security.website_blocklist.domains: new.example',
    ],
    loosens: ['security.website_blocklist.domains: without old.example', 'owners.alice.network.allow: c.example'],
    reload: expect.arrayContaining(['network.deny', 'security.website_blocklist']),
    restart: [],
  });
  const off: Config = {
    ...now,
    security: { ...now.security, website_blocklist: { enabled: false, domains: ['old.example'] } },
  };
  expect(forbidsMore(off, [now])).toBe(false);
  expect(pendingOf(standing(now), read(off)).loosens).toEqual([
    'security.website_blocklist.domains: without old.example',
    'security.website_blocklist.shared_files: without /etc/blocked',
  ]);
});

it('a rule of an edit that is in the file no longer would be loosened too', () => {
  const edit = withRules({ deny: ['terminal(npm:*)'] });
  const { holds, loosens } = pendingOf(standing(base, { edits: [read(edit)] }), read(base));
  expect([holds, loosens]).toEqual([[], ['approvals.rules.deny: without terminal(npm:*)']]);
});

it('an answer "always" of the process itself holds already', () => {
  const file: Config = { ...base, command_allowlist: ['terminal(rm -rf a)'] };
  expect(pendingOf(standing(base, { added: ['terminal(rm -rf a)'] }), read(file))).toEqual(nothingPending);
  expect(pendingOf(standing(base), read(file)).loosens).toEqual(['command_allowlist: terminal(rm -rf a)']);
});

it('a file forbids more by a rule, by a stricter mode, and by an owner whose rules are those of default no longer', () => {
  const rules = { deny: ['terminal(make:*)'] };
  expect(forbidsMore(withRules(rules), [base])).toBe(true);
  expect(forbidsMore(withRules(rules), [base, withRules(rules)])).toBe(false);
  expect(forbidsMore(base, [withRules(rules)])).toBe(false);
  expect(forbidsMore({ ...base, tasks: { a: { tool_mode: 'plan' } } }, [base])).toBe(true);
  const owned = (owners: Config['owners']): Config => ({ ...base, owners });
  const named = owned({ default: { rules }, alice: {} });
  expect(forbidsMore(owned({ default: { rules } }), [named])).toBe(true);
});
