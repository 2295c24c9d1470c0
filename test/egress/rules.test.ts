/** What a sandbox with a filtered network may reach: by the configuration, by changes, and by answers. */
import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { egressLists } from '../../src/config/network.ts';
import { networkAsked } from '../../src/egress/question.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { rulesetOf } from '../../src/egress/door/ruleset.ts';
import { judgeTarget } from '../../src/egress/door/decide.ts';
import { askAbout } from '../../src/egress/ask.ts';
import { checkedChange, checkNotDenied } from '../../src/service/network/change.ts';
import { readConnections } from '../../src/service/network/follow.ts';
import { logConnection } from '../../src/egress/log.ts';
import { doorOf, logOf, makeDoor } from '../../src/egress/places.ts';
import { suggestedRules } from '../../src/service/network/suggest.ts';
import { changedRules, noOwnRules } from '../../src/store/egress.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { noRules } from '../network/address/rules.ts';
import { newRow, spec } from '../store/rows.ts';

let home = '';
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'caisson-'))));
afterEach(() => rmSync(home, { recursive: true }));

const lists = { allow: ['global.example'], deny: ['never.example'], ports: [22], presets: ['npm'] } as const;
type Config = Parameters<typeof egressLists>[1];
const config = (patch: Partial<Config>): Config => ({
  network: {
    mode: null,
    allow: [...lists.allow],
    deny: [...lists.deny],
    ports: [...lists.ports],
    presets: ['npm'],
    ask: false,
    allow_private: [],
    open_private: null,
    nat64_prefix: null,
  },
  tasks: {},
  owners: {},
  ...patch,
});

describe('lists of the configuration for one sandbox', () => {
  it('are those of network, with those of its task beside them', () => {
    const tasks = { 'web-*': { network: { allow: ['task.example'], deny: ['ads.example'], ports: [8443] } } };
    expect(egressLists('web-1', config({ tasks }))).toEqual({
      allow: ['global.example', 'task.example'],
      deny: ['never.example', 'ads.example'],
      ports: [22, 8443],
      presets: ['npm'],
    });
    expect(egressLists('other', config({ tasks }))).toEqual(lists);
  });

  it('are those of an owner alone where the configuration has any, but what is denied is denied to all', () => {
    const owners = { alice: { network: { allow: ['alice.example'] } } };
    const tasks = { '*': { network: { allow: ['task.example'], deny: ['ads.example'] } } };
    expect(egressLists('alice.web', config({ owners, tasks }))).toEqual({
      allow: ['alice.example'],
      deny: ['never.example', 'ads.example'],
      ports: [],
      presets: [],
    });
    expect(egressLists('bob.web', config({ owners, tasks })).allow).toEqual(['global.example']);
  });
});

describe('rules of one sandbox', () => {
  it('move a host from one list to the other, and forget it', () => {
    const allowed = changedRules(noOwnRules, { allow: ['a.example', 'b.example'] });
    const denied = changedRules(allowed, { deny: ['a.example'] });
    expect(denied).toEqual({ allow: ['b.example'], deny: ['a.example'], once: [] });
    expect(changedRules(denied, { forget: ['a.example', 'b.example'] })).toEqual(noOwnRules);
  });

  it('deny what is denied, whatever was allowed before or after', () => {
    const host = fc.constantFrom('a.example', 'b.example', 'x.a.example');
    const change = fc.record({ kind: fc.constantFrom('allow' as const, 'deny' as const), host });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), host, (changes, denied) => {
        const own = changes.reduce((now, each) => changedRules(now, { [each.kind]: [each.host] }), noOwnRules);
        const last = changedRules(own, { deny: [denied] });
        const egress = rulesetOf({ allow: [...last.allow, '*'], deny: last.deny, ports: [], presets: [] });
        const judged = judgeTarget({ name: denied, port: 443 }, { egress, addresses: noRules });
        expect(judged.verdict).toBe('deny');
      }),
    );
  });

  it('are hosts, and not what the configuration denies', () => {
    expect(() => checkedChange({ allow: ['*.com'] })).toThrow('strangers');
    expect(() => checkedChange({})).toThrow('1 to 100 hosts');
    expect(() => checkedChange({ allow: ['a.example'], deny: ['a.example'] })).toThrow('denies it');
    const configured = { ...lists, allow: [], deny: ['never.example'], ports: [], presets: [] };
    expect(() => checkNotDenied({ allow: ['x.never.example:8443'] }, { configured })).toThrow('stays denied');
    checkNotDenied({ allow: ['evernever.example'] }, { configured });
  });

  it('stay in the store, and end with the sandbox', async () => {
    const { store } = await openStore(join(home, 'caisson.db'), { clock: systemClock });
    const row = newRow({ spec: { ...spec, network: 'filtered' } });
    await store.sandboxes.insert(row);
    expect(await store.egress.change(row.id, { allow: ['a.example'] })).toBe(null);
    await store.egress.configure(row.id, { lists: { ...lists }, source: '', later: null }, () => true);
    const at = Date.now();
    await store.egress.change(row.id, { allow: ['a.example'], once: [{ host: 'b.example', at }] });
    expect(await store.egress.of(row.id)).toMatchObject({
      revision: 2,
      own: { allow: ['a.example'], deny: [], once: [{ host: 'b.example', at }] },
    });
    await store.egress.change(row.id, { onceBefore: at - 1 });
    expect((await store.egress.of(row.id))?.own.once).toHaveLength(1);
    await store.egress.change(row.id, { onceBefore: at });
    expect((await store.egress.of(row.id))?.own.once).toEqual([]);
    await store.close();
  });
});

const seen = (name: string, port = 443, rule = 'no rule') => ({ name, port, rule, verdict: 'deny' as const });

describe('suggested rules', () => {
  it('are presets, patterns of three names or more, hosts and ports', () => {
    const preset = { npm: ['*.packages.example'] };
    const connections = [
      ...[seen('a.packages.example'), seen('one.example.org', 443, 'allow *'), seen('two.example.org')],
      ...[seen('three.example.org', 80), seen('api.example.com', 8443, 'ports'), seen('example.net')],
      ...[seen('10.1.2.3', 80, 'address'), seen('bad.example', 443, 'deny bad.example'), seen('mail.example', 25)],
    ];
    expect(suggestedRules(connections, preset)).toEqual({
      seen: 6,
      presets: ['npm'],
      allow: ['*.example.org', 'api.example.com:8443', 'example.net'],
    });
  });

  it('allow every name that was asked for', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
    const place = fc.record({ name, port: fc.constantFrom(80, 443, 8443) });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 20 }), (places) => {
        const suggested = suggestedRules(places.map((each) => seen(each.name, each.port)));
        const egress = rulesetOf({ ...suggested, deny: [], ports: [] });
        const rules = { egress, addresses: noRules };
        for (const each of places) {
          const { verdict, rule } = judgeTarget(each, rules);
          expect([each, verdict === 'allow' || rule === 'address']).toEqual([each, true]);
        }
      }),
    );
  });
});

describe('the record of connections', () => {
  const log = (name: string): void =>
    logConnection(home, 'sbx_1', {
      task: 'build',
      name,
      port: 443,
      verdict: 'deny',
      rule: 'no rule',
      reason: 'no rule allows it',
      checked: 'address',
      address: null,
      sentBytes: 0,
      receivedBytes: 0,
      startedAt: Date.now(),
      durationMs: 0,
    });

  it('is followed over a file that is set aside, past broken lines, until the sandbox is removed', async () => {
    await makeDoor(home, 'sbx_1');
    for (const name of ['a', 'b', 'c']) log(name);
    appendFileSync(logOf(home, 'sbx_1'), '{"verdict":\n\u001b[2J\n');
    const names: (string | null)[] = [];
    const following = (async () => {
      const how = { home, sandboxId: 'sbx_1', count: 2, follow: true, signal: undefined };
      for await (const { name } of readConnections(how)) names.push(name);
    })();
    await vi.waitFor(() => expect(names).toEqual(['b', 'c']));
    log('d');
    renameSync(logOf(home, 'sbx_1'), `${logOf(home, 'sbx_1')}.1`);
    log('e');
    await vi.waitFor(() => expect(names).toEqual(['b', 'c', 'd', 'e']), 5000);
    rmSync(doorOf(home, 'sbx_1'), { recursive: true });
    rmSync(logOf(home, 'sbx_1'));
    await following;
    expect(names).toEqual(['b', 'c', 'd', 'e']);
  });
});

describe('questions about denied connections', () => {
  it('are put once for each host, and not again soon after an answer', async () => {
    const { store } = await openStore(join(home, 'caisson.db'), { clock: systemClock });
    const row = newRow({ spec: { ...spec, network: 'filtered' } });
    await store.sandboxes.insert(row);
    const parts = { store, sandbox: row, caller: undefined };
    const denied = [
      seen('a.example'),
      seen('a.example'),
      seen('b.example', 8443, 'ports'),
      seen('10.1.2.3', 80, 'address'),
    ];
    const asked = await askAbout(denied, parts);
    expect([...asked.keys()]).toEqual(['a.example', 'b.example:8443']);
    expect(await askAbout(denied, parts)).toEqual(asked);
    const pending = await store.approvals.pending({ limit: 100 });
    expect(pending.map((each) => networkAsked(each)?.host)).toEqual(['a.example', 'b.example:8443']);
    for (const { id } of pending) await store.approvals.answer(id, { state: 'denied', choice: 'deny', by: 'x' });
    expect((await askAbout(denied, parts)).size).toBe(0);
    const many = Array.from({ length: 50 }, (_, at) => seen(`n${at}.example`));
    expect((await askAbout(many, parts)).size).toBe(8);
    await store.close();
  });
});
