/** The table of events, and what an upgrade to it keeps. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/store/sqlite/connection.ts';
import { migrate, migrations } from '../../src/store/sqlite/migrations.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { EventQuery } from '../../src/store/events.ts';
import type { SqliteStore } from '../../src/store/sqlite/store.ts';
import { newApproval } from './rows.ts';
import { scratch } from './scratch.ts';

const everything = { after: 0, owner: null, max: 1000 };
const exec = (id: string) => ({ id, taskId: 'build', sandboxId: 'sbx_1', backend: 'docker' });
const exited = { reason: 'exited', exitCode: 0, signal: null };

function started(store: SqliteStore, id: string): void {
  const row = { ...exec(id), kind: 'exec', request: null, startedAt: store.steadyNow() } as const;
  store.execs.insertFresh(row);
}

describe('the table of events', () => {
  it('keeps the newest, and goes on with their numbers when it is opened again', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const { store } = await openStore(path, { maxEvents: 30 });
    for (let count = 0; count < 205; count++) await store.approvals.insert(newApproval());
    expect(await store.events.kept(null)).toEqual({ oldest: 171, newest: 205, gone: 170 });
    const kept = await store.events.read(everything);
    expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: 35 }, (_, index) => 171 + index));
    await store.close();
    const { store: next } = await openStore(path, { maxEvents: 30 });
    await next.approvals.insert(newApproval());
    expect(await next.events.kept(null)).toEqual({ oldest: 171, newest: 206, gone: 170 });
    await next.close();
  });

  it('has a start and an end of each exec, written together', async () => {
    await using directory = await scratch();
    const { store } = await openStore(join(directory.path, 'caisson.db'));
    started(store, 'exec_1');
    store.execs.ended(exec('exec_1'), exited);
    expect(await store.events.read(everything)).toEqual([]);
    await store.execs.find('exec_1');
    const events = await store.events.read(everything);
    expect(events.map(({ type, data }) => [type, data['execId'], data['backend'], data['reason']])).toEqual([
      ['exec.started', 'exec_1', 'docker', undefined],
      ['exec.ended', 'exec_1', 'docker', 'exited'],
    ]);
    await store.close();
  });
});

describe('a filter of events', () => {
  it('finds those of a task id or a sandbox id, and of one type, of one owner', async () => {
    await using directory = await scratch();
    const { store } = await openStore(join(directory.path, 'caisson.db'));
    started(store, 'exec_1');
    await store.execs.find('exec_1');
    await store.events.denied('build', { taskId: 'build', sandboxId: 'sbx_1' });
    await store.events.denied('alice.build', { taskId: 'alice.build', sandboxId: 'sbx_2' });
    await store.events.denied('other', { taskId: 'other', sandboxId: 'sbx_3', command: 'build' });
    const found = async (filter: Partial<EventQuery>) =>
      (await store.events.read({ ...everything, ...filter })).map(({ type, data }) => [type, data['sandboxId']]);
    expect(await found({ task: 'build' })).toEqual([
      ['exec.started', 'sbx_1'],
      ['network.denied', 'sbx_1'],
    ]);
    expect(await found({ task: 'sbx_1', type: 'network.denied' })).toEqual([['network.denied', 'sbx_1']]);
    expect(await found({ task: 'alice.build', owner: 'alice' })).toEqual([['network.denied', 'sbx_2']]);
    expect(await found({ task: 'alice.build', owner: 'operator' })).toEqual([]);
    expect(await found({ type: 'network.denied', after: 2 })).toHaveLength(2);
    await store.close();
  });
});

describe('starts and ends that cannot be written', () => {
  it('are a warning of the process, once, and another when it is put right', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const { store } = await openStore(path);
    const warnings: string[] = [];
    const hear = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', hear);
    const beside = new DatabaseSync(path);
    beside.exec('ALTER TABLE events RENAME TO away');
    for (const id of ['exec_1', 'exec_2']) {
      started(store, id);
      await store.execs.find('exec_1');
    }
    beside.exec('ALTER TABLE away RENAME TO events');
    beside.close();
    started(store, 'exec_3');
    await store.execs.find('exec_3');
    await expect.poll(() => warnings.length).toBe(2);
    process.off('warning', hear);
    expect(warnings[0]).toContain('events of them are missing');
    expect(warnings[1]).toMatch(/^2 starts and ends/);
    expect((await store.events.read(everything)).map(({ data }) => data['execId'])).toEqual(['exec_3']);
    await store.close();
  });
});

describe('a database of version 8', () => {
  it('keeps its execs and the leases of holders that live', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const db = connect(path);
    migrate(
      db,
      migrations.filter(({ version }) => version <= 8),
    );
    // The owner is on another host, so that its heartbeat says whether it lives.
    db.prepare('INSERT INTO owners (id, host, heartbeat_at) VALUES (?, ?, ?)').run('own_1', 'far', Date.now());
    db.prepare('INSERT INTO leases (key, owner) VALUES (?, ?)').run('task:build', 'own_1');
    db.prepare(
      `INSERT INTO execs (id, kind, task_id, sandbox_id, backend, request, owner, started_at)
       VALUES ('exec_old', 'exec', 'build', 'sbx_1', 'docker', 'hash', 'own_1', 5)`,
    ).run();
    db.close();
    chmodSync(path, 0o600);
    const { store, notices } = await openStore(path);
    expect(notices.map(({ id }) => id)).toEqual(['migrated']);
    expect(await store.execs.find('exec_old')).toMatchObject({ holder: 'own_1', request: 'hash', startedAt: 5 });
    expect(await store.leases.holder('task:build')).toMatchObject({ id: 'own_1', host: 'far', alive: true });
    expect(await store.leases.acquire('task:build')).toBe(false);
    expect(await store.leases.isAlive('own_1')).toBe(true);
    await store.close();
    const copy = new DatabaseSync(notices[0]?.path ?? '', { readOnly: true });
    expect(copy.prepare('SELECT owner FROM leases').get()).toEqual({ owner: 'own_1' });
    copy.close();
  });
});
