import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/store/sqlite/migrations.ts';
import { outboxSchema } from '../../src/store/sqlite/outbox-schema.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { SqliteStore } from '../../src/store/sqlite/store.ts';
import { earlierWith } from './earlier.ts';
import { newRow } from './rows.ts';
import { scratch } from './scratch.ts';

const asked = (id: string) => ({
  id,
  binding: 'b',
  taskId: 'build',
  state: 'pending',
  choice: null,
  answeredBy: null,
  askedBy: null,
  createdAt: Date.now(),
  question: { display: 'rm -r secret', choices: ['once', 'deny'], findings: [{ description: 'recursive delete' }] },
});
const ask = (store: SqliteStore, id: string): Promise<void> =>
  store.approvals.insert({ ...asked(id), state: 'pending' });
const far = 2 ** 50;
/** The version before these events. */
const older = migrations.slice(
  0,
  migrations.findIndex(({ sql }) => sql === outboxSchema),
);
const dueOf = async (store: SqliteStore, name = 'pager') => await store.outbox.due(name, far, 100);

async function opened(): Promise<AsyncDisposable & { readonly store: SqliteStore; readonly path: string }> {
  const directory = await scratch();
  const path = join(directory.path, 'caisson.db');
  const { store } = await openStore(path);
  return {
    store,
    path,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

describe('events for webhooks', () => {
  it('are written for questions, answers and states of sandboxes, and hold no command', async () => {
    await using home = await opened();
    const { store } = home;
    await store.outbox.setEndpoints([
      { name: 'pager', events: ['approval.asked', 'approval.answered', 'sandbox.state'] },
    ]);
    await ask(store, 'apr_1');
    await store.approvals.answer('apr_1', { state: 'approved', choice: 'once', by: 'ann' });
    await store.approvals.use('apr_1', 'b');
    const row = newRow();
    await store.sandboxes.insert(row);
    await store.sandboxes.update(row.id, { state: 'ready' });
    await store.sandboxes.update(row.id, { usedAt: 5 });
    await store.sandboxes.delete(row.id);
    const events = await dueOf(store);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      [
        'approval.asked',
        {
          approvalId: 'apr_1',
          taskId: 'build',
          choices: ['once', 'deny'],
          findings: ['recursive delete'],
          title: null,
          backend: null,
          cwd: null,
          variables: [],
          stdin: false,
        },
      ],
      ['approval.answered', { approvalId: 'apr_1', taskId: 'build', state: 'approved', choice: 'once', by: 'ann' }],
      ...[
        [null, 'creating'],
        ['creating', 'ready'],
        ['ready', 'removed'],
      ].map(([from, to]) => [
        'sandbox.state',
        { sandboxId: row.id, taskId: row.taskId, backend: row.backend, from, to, by: null },
      ]),
    ]);
    for (const { id, happenedAt } of events) {
      expect(id).toMatch(/^evt_[0-9a-f]{24}$/);
      expect(Math.abs(happenedAt - Date.now())).toBeLessThan(60_000);
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it('are not written without an endpoint that wants them', async () => {
    await using home = await opened();
    const { store } = home;
    await store.sandboxes.insert(newRow());
    await store.outbox.setEndpoints([{ name: 'pager', events: ['approval.asked'] }]);
    await store.sandboxes.update((await store.sandboxes.list({ limit: 1000 }))[0]?.id ?? '', { state: 'ready' });
    expect(await dueOf(store)).toEqual([]);
  });

  it('are one for each endpoint, and go with it', async () => {
    await using home = await opened();
    const { store } = home;
    const events = ['approval.asked'];
    await store.outbox.setEndpoints([
      { name: 'a', events },
      { name: 'b', events },
    ]);
    await ask(store, 'apr_1');
    expect([(await dueOf(store, 'a')).length, (await dueOf(store, 'b')).length]).toEqual([1, 1]);
    await store.outbox.setEndpoints([{ name: 'b', events }]);
    expect([(await dueOf(store, 'a')).length, (await dueOf(store, 'b')).length]).toEqual([0, 1]);
  });

  it('are tried again when their time comes, until they have arrived or are given up', async () => {
    await using home = await opened();
    const { store } = home;
    const { outbox } = store;
    await outbox.setEndpoints([{ name: 'pager', events: ['approval.asked'] }]);
    for (const id of ['apr_1', 'apr_2', 'apr_3']) await ask(store, id);
    const [first, second, third] = (await dueOf(store)).map(({ id }) => id);
    await outbox.delivered(first ?? '');
    await outbox.failed(second ?? '', { nextAt: 1000, failure: 'status 500' });
    await outbox.failed(third ?? '', { nextAt: null, failure: 'status 410' });
    expect(await outbox.due('pager', 999, 100)).toEqual([]);
    expect(await outbox.due('pager', 1000, 100)).toMatchObject([{ id: second, attempts: 1 }]);
    expect(await outbox.givenUp()).toEqual({ pager: 1 });
    await outbox.trim(100, far);
    expect(await outbox.givenUp()).toEqual({});
  });

  it('are bounded in number: the oldest go first', async () => {
    await using home = await opened();
    const { store } = home;
    await store.outbox.setEndpoints([{ name: 'pager', events: ['approval.asked'] }]);
    for (const id of ['apr_1', 'apr_2', 'apr_3']) await ask(store, id);
    await store.outbox.trim(2, 0);
    expect((await dueOf(store)).map(({ data }) => data['approvalId'])).toEqual(['apr_2', 'apr_3']);
  });

  it('begin with a database of an earlier version, whose rows stay', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const row = newRow();
    earlierWith(path, older, row);
    const { store, notices } = await openStore(path);
    expect(notices.map(({ id }) => id)).toEqual(['migrated']);
    await store.outbox.setEndpoints([{ name: 'pager', events: ['sandbox.state'] }]);
    await store.sandboxes.update(row.id, { state: 'ready' });
    expect(await dueOf(store)).toMatchObject([{ data: { sandboxId: row.id, from: 'creating', to: 'ready' } }]);
    await store.close();
  });
});
