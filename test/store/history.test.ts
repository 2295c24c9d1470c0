/** The history: acts with their ends, found by time, task, owner and end. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Act, ActEnd, HistoryFilter } from '../../src/store/history.ts';
import { connect } from '../../src/store/sqlite/connection.ts';
import { walksOf } from '../../src/store/sqlite/history-list.ts';
import { migrate, migrations } from '../../src/store/sqlite/migrations.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { scratch } from './scratch.ts';

const act = (n: number, patch: Partial<Act> = {}): Act => ({
  id: `exec_${n}`,
  kind: 'exec',
  owner: 'operator',
  token: null,
  taskId: 'build',
  sandboxId: 'sbx_build',
  backend: 'docker',
  command: ['echo', String(n)],
  startedAt: 1000 + n,
  ...patch,
});
const done: ActEnd = {
  outcome: 'done',
  reason: 'exited',
  exitCode: 0,
  signal: null,
  durationMs: 12.4,
  bytes: 5,
  rule: null,
};
const failed: ActEnd = { ...done, outcome: 'failed', exitCode: 3 };

let store: Store;
let other: Store;
let home: Awaited<ReturnType<typeof scratch>>;

beforeEach(async () => {
  home = await scratch();
  store = (await openStore(home.path, systemClock)).store;
  other = (await openStore(home.path, systemClock)).store;
});
afterEach(async () => {
  await store.close();
  await other.close();
  await home[Symbol.asyncDispose]();
});

const idsOf = async (filter: Partial<HistoryFilter> = {}): Promise<readonly (string | null)[]> =>
  (await other.history.list({ limit: 100, ...filter })).map(({ id }) => id);

it('shows an act that runs, and its end once it has one, to every process', async () => {
  store.history.begun(act(1));
  await store.history.list({ limit: 1 });
  expect(await other.history.list({ limit: 9 })).toMatchObject([{ ...act(1), outcome: 'running', exitCode: null }]);
  store.history.ended('exec_1', failed);
  await store.history.list({ limit: 1 });
  expect(await other.history.list({ limit: 9 })).toMatchObject([{ outcome: 'failed', exitCode: 3, durationMs: 12 }]);
});

it('writes an act that ends within its batch once, and keeps the first of two ends', async () => {
  store.history.begun(act(1));
  store.history.ended('exec_1', done);
  store.history.ended('exec_1', failed);
  store.history.begun(act(2));
  await store.history.list({ limit: 1 });
  store.history.ended('exec_2', failed);
  store.history.ended('exec_2', done);
  await store.history.list({ limit: 1 });
  const rows = await other.history.list({ limit: 9 });
  expect(rows.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['exec_2', 'failed'],
    ['exec_1', 'done'],
  ]);
});

it('finds acts by task, sandbox, owner, time and end', async () => {
  store.history.add(act(1), done);
  store.history.add(act(2, { taskId: 'alice.x', sandboxId: 'sbx_alice', owner: 'alice' }), failed);
  store.history.add(act(3, { sandboxId: null }), { ...failed, outcome: 'denied', rule: 'terminal(git push:*)' });
  store.history.add(act(4), { ...failed, outcome: 'lost' });
  await store.history.list({ limit: 1 });
  expect(await idsOf()).toEqual(['exec_4', 'exec_3', 'exec_2', 'exec_1']);
  expect(await idsOf({ task: 'build' })).toEqual(['exec_4', 'exec_3', 'exec_1']);
  expect(await idsOf({ task: 'sbx_build' })).toEqual(['exec_4', 'exec_1']);
  expect(await idsOf({ owner: 'alice' })).toEqual(['exec_2']);
  expect(await idsOf({ owner: 'bob' })).toEqual([]);
  expect(await idsOf({ owner: 'bob', task: 'build' })).toEqual([]);
  expect(await idsOf({ sinceMs: 1002, untilMs: 1004 })).toEqual(['exec_3', 'exec_2']);
  expect(await idsOf({ faults: ['denied', 'lost'] })).toEqual(['exec_4', 'exec_3']);
  expect(await idsOf({ faults: ['failed'], task: 'build' })).toEqual([]);
  expect(await idsOf({ faults: ['failed'], owner: 'alice', task: 'alice.x' })).toEqual(['exec_2']);
  expect(await idsOf({ sandboxes: ['sbx_alice', 'sbx_build'], faults: ['failed', 'lost'] })).toEqual([
    'exec_4',
    'exec_2',
  ]);
  expect(await idsOf({ sandboxes: [] })).toEqual([]);
  expect(await store.history.count('lost', 0)).toBe(1);
  expect(await store.history.count('lost', 1005)).toBe(0);
});

it('gives every act once in parts, also those of one moment', async () => {
  for (let n = 0; n < 25; n += 1) store.history.add(act(n, { startedAt: 1000 + Math.floor(n / 10) }), done);
  await store.history.list({ limit: 1 });
  const seen: (string | null)[] = [];
  for (let after: HistoryFilter['after'] = null; ;) {
    const rows = await other.history.list({ limit: 4, after });
    seen.push(...rows.map(({ id }) => id));
    const last = rows.at(-1);
    if (last === undefined) break;
    after = { at: last.startedAt, seq: last.seq };
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `exec_${24 - n}`));
});

it('forgets what began before a moment', async () => {
  for (let n = 0; n < 5; n += 1) store.history.add(act(n), done);
  expect(await store.history.expire(1003)).toBe(3);
  expect(await idsOf()).toEqual(['exec_4', 'exec_3']);
});

it('walks along an index for every filter, and sorts no more than its page', () => {
  const db = connect(':memory:');
  migrate(db, migrations);
  const filters: readonly Partial<HistoryFilter>[] = [
    {},
    { owner: 'a' },
    { task: 't', owner: 'a' },
    { sandboxes: ['s'], owner: 'a', task: 't' },
    { faults: ['denied'] },
    { faults: ['denied'], owner: 'a', sinceMs: 1 },
    { faults: ['lost'], task: 't' },
    { faults: ['lost'], sandboxes: ['s'], after: { at: 1, seq: 1 } },
  ];
  for (const filter of filters)
    for (const { sql, values } of walksOf({ limit: 50, ...filter })) {
      const plan = db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values)
        .map(({ detail }) => String(detail));
      expect([filter, plan.join('; ')]).toEqual([
        filter,
        expect.stringMatching(/^SEARCH history USING INDEX history_\w+ \([^;]*\)$/),
      ]);
    }
  db.close();
});
