/** Pages of sandboxes cost what they hold, and rows that come and go between them take nothing away from the list. */
import fc from 'fast-check';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { SandboxRow } from '../../src/store/store.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { pendingPage } from '../../src/store/sqlite/approvals.ts';
import { walkOf } from '../../src/store/sqlite/sandbox-list.ts';
import { ownerOf } from '../../src/values/owner.ts';
import { newRow } from './rows.ts';
import { scratch } from './scratch.ts';

async function planner(directory: string): Promise<(sql: string, values: readonly unknown[]) => string> {
  const path = join(directory, 'caisson.db');
  await (await openStore(path)).store.close();
  const db = new DatabaseSync(path);
  return (sql) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
      .join('; ');
}

describe('the plan of a page of sandboxes', () => {
  const after = { at: 1, id: 'sbx_a' };
  const more = { backend: 'docker', state: 'ready', labels: { a: 'b' }, limit: 10 } as const;

  it.each([
    [{}, 'SCAN sandboxes USING INDEX sandboxes_by_age'],
    [{ after }, 'SEARCH sandboxes USING INDEX sandboxes_by_age ((created_at,id)>(?,?))'],
    [{ owner: 'alice' }, 'SEARCH sandboxes USING INDEX sandboxes_by_owner (owner=?)'],
    [{ owner: 'alice', after }, 'SEARCH sandboxes USING INDEX sandboxes_by_owner (owner=? AND (created_at,id)>(?,?))'],
  ])('for %j is a walk along an index from its position, and no sort', async (query, plan) => {
    await using directory = await scratch();
    const planOf = await planner(directory.path);
    for (const each of [
      { ...query, limit: 10 },
      { ...query, ...more },
    ]) {
      const { sql, values } = walkOf(each);
      const found = planOf(sql, values);
      expect(found).toContain(plan);
      expect(found).not.toContain('TEMP B-TREE');
    }
  });

  it('for one task finds it by its key', async () => {
    await using directory = await scratch();
    const planOf = await planner(directory.path);
    for (const each of [{}, { owner: 'alice' }, { owner: 'alice', after, ...more }]) {
      const { sql, values } = walkOf({ ...each, task: 'alice.a', limit: 1 });
      expect(planOf(sql, values)).toMatch(/\(task_id=\?\).*\(id=\?\)/);
      expect(planOf(sql, values)).not.toMatch(/SCAN sandboxes|sandboxes_by/);
    }
  });

  it('for questions that wait reads only these', async () => {
    await using directory = await scratch();
    const planOf = await planner(directory.path);
    const plan = planOf(pendingPage, []);
    expect(plan).toContain('USING INDEX approvals_pending');
    expect(plan).not.toContain('TEMP B-TREE');
  });
});

const task = fc.record({
  owner: fc.constantFrom('', 'alice.', 'bob.'),
  at: fc.integer({ min: 1, max: 4 }),
  label: fc.constantFrom('x', 'y'),
});
/** Before each page: rows that come, and which of those that are there go. */
const change = fc.record({ come: fc.array(task, { maxLength: 3 }), go: fc.array(fc.nat(), { maxLength: 3 }) });

describe('pages of sandboxes', () => {
  it('hold each row that stays once and in order, while others come and go', async () => {
    await using directory = await scratch();
    const { store } = await openStore(join(directory.path, 'caisson.db'));
    const insert = async ({ owner, at, label }: { owner: string; at: number; label: string }): Promise<SandboxRow> => {
      const row = newRow({ createdAt: at, labels: { k: label, other: 'o' } });
      const named = { ...row, taskId: `${owner}${row.taskId}` };
      await store.sandboxes.insert(named);
      return named;
    };
    const query = fc.record({
      owner: fc.option(fc.constantFrom('operator', 'alice'), { nil: undefined }),
      label: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
      limit: fc.integer({ min: 1, max: 4 }),
    });
    const property = fc.asyncProperty(
      fc.array(task, { maxLength: 12 }),
      fc.array(change, { minLength: 20, maxLength: 20 }),
      query,
      async (first, changes, { owner, label, limit }) => {
        const stay = new Map<string, SandboxRow>();
        for (const each of first) {
          const row = await insert(each);
          stay.set(row.id, row);
        }
        const seen: SandboxRow[] = [];
        let after: { at: number; id: string } | null = null;
        for (let n = 0; ; n += 1) {
          const { come = [], go = [] } = changes[n] ?? {};
          for (const each of come) await insert(each);
          const present = await store.sandboxes.list({ limit: 1000 });
          for (const index of present.length === 0 ? [] : go) {
            const id = present[index % present.length]?.id ?? '';
            await store.sandboxes.delete(id);
            stay.delete(id);
          }
          const wanted = {
            ...(owner === undefined ? {} : { owner }),
            ...(label === undefined ? {} : { labels: { k: label } }),
          };
          const page: readonly SandboxRow[] = await store.sandboxes.list({ ...wanted, after, limit });
          seen.push(...page);
          const last = page.at(-1);
          if (last === undefined) break;
          after = { at: last.createdAt, id: last.id };
        }
        const isWanted = (row: SandboxRow): boolean =>
          (owner === undefined || ownerOf(row.taskId) === owner) && (label === undefined || row.labels['k'] === label);
        const ids = seen.map(({ id }) => id);
        expect(seen.filter((row) => !isWanted(row))).toEqual([]);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(
          seen.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id),
        );
        expect([...stay.values()].filter((row) => isWanted(row) && !ids.includes(row.id))).toEqual([]);
        for (const row of await store.sandboxes.list({ limit: 1000 })) await store.sandboxes.delete(row.id);
      },
    );
    await fc.assert(property, { numRuns: 40 });
    await store.close();
  }, 60_000);

  it('know the owner of a task as the rest of Caisson does', async () => {
    await using directory = await scratch();
    const { store } = await openStore(join(directory.path, 'caisson.db'));
    const part = fc.string({ unit: fc.constantFrom('a', 'Z', '9', '-', '_', '.', 'é', '\n'), maxLength: 6 });
    const key = fc.oneof(
      part,
      fc
        .tuple(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 30, maxLength: 35 }), part)
        .map((parts) => parts.join('.')),
    );
    const property = fc.asyncProperty(key, async (taskId) => {
      const row = newRow({ taskId });
      await store.sandboxes.insert(row);
      expect(await store.sandboxes.list({ owner: ownerOf(taskId), limit: 1 })).toEqual([row]);
      await store.sandboxes.delete(row.id);
    });
    await fc.assert(property, { numRuns: 200 });
    await store.close();
  }, 60_000);

  it('find a task by its id or that of its sandbox, within its owner and its labels', async () => {
    await using directory = await scratch();
    const { store } = await openStore(join(directory.path, 'caisson.db'));
    const row = newRow({ taskId: 'alice.a', labels: { k: 'x' } });
    await store.sandboxes.insert(row);
    await store.sandboxes.insert(newRow());
    for (const task of ['alice.a', row.id])
      expect(await store.sandboxes.list({ task, owner: 'alice', labels: { k: 'x' }, limit: 5 })).toEqual([row]);
    for (const other of [
      { owner: 'bob' },
      { labels: { k: 'y' } },
      { labels: { k: 'x', more: '' } },
      { state: 'stopped' as const },
    ])
      expect(await store.sandboxes.list({ task: 'alice.a', limit: 5, ...other })).toEqual([]);
    await store.close();
  });
});
