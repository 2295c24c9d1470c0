import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { migrations, newestVersion } from '../../src/store/sqlite/migrations.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { testStore } from './contract.ts';
import { earlierWith } from './earlier.ts';
import { newRow } from './rows.ts';
import { scratch } from './scratch.ts';
import { containing } from '../matchers.ts';

testStore('SQLite', async () => {
  const directory = await scratch();
  return {
    open: async () => (await openStore(join(directory.path, 'home', 'caisson.db'))).store,
    remove: async () => await directory[Symbol.asyncDispose](),
  };
});

async function edit(path: string, sql: string, ...values: readonly (string | number | null)[]): Promise<void> {
  const db = new DatabaseSync(path);
  db.prepare(sql).run(...values);
  db.close();
}

describe('the files of the SQLite store', () => {
  it('are private even when the umask is 000 (API-10)', async () => {
    await using directory = await scratch();
    const home = join(directory.path, 'home');
    const before = process.umask(0);
    try {
      const { store } = await openStore(join(home, 'caisson.db'));
      await store.sandboxes.insert(newRow());
      expect((await stat(home)).mode & 0o777).toBe(0o700);
      for (const name of [
        'caisson.db',
        'caisson.db-wal',
        'caisson.db-shm',
        'caisson.db.lock',
        'caisson.db.sound',
        'instance',
      ]) {
        expect([name, (await stat(join(home, name))).mode & 0o777]).toEqual([name, 0o600]);
      }
      await store.close();
    } finally {
      process.umask(before);
    }
  });

  it('are closed to others when they were found open, and that is reported', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    await (await openStore(path)).store.close();
    await chmod(path, 0o644);
    const { store, notices } = await openStore(path);
    expect(notices.map(({ id }) => id)).toEqual(['permissions-tightened']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await store.close();
  });
});

const markedWrongly = JSON.stringify({ ...newRow().spec, network: 'filtered', filteredBy: 'nothing' });

describe('a damaged row', () => {
  it.each([
    ['spec', '{"backend":', 'spec is not JSON'],
    ['spec', 'null', 'spec should be an object'],
    ['spec', '{"backend":"docker"}', 'spec.image should be a string'],
    ['spec', markedWrongly, 'spec.filteredBy should be place'],
    ['ref', '{"v":1,"x":{}}', 'ref.x should be a number'],
    ['ref', '{}', 'ref.v should be a whole number'],
    ['state', 'dancing', 'state should be creating or pooled or ready or stopping or stopped or destroying'],
    ['degraded', '{}', 'degraded should be a list'],
    ['effective', '[]', 'effective should be an object'],
    ['labels', '{"a":1}', 'labels.a should be a string'],
    ['generation', -1, 'generation should be a number from 0 on'],
  ])('with %s = %s is an internal error that names it, and can be removed', async (column, value, reason) => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const { store } = await openStore(path);
    const row = newRow();
    await store.sandboxes.insert(row);
    await edit(path, `UPDATE sandboxes SET ${column} = ?`, value);
    const failure = { code: 'internal', details: { sandboxId: row.id }, message: containing(reason) };
    await expect(store.sandboxes.find(row.id)).rejects.toMatchObject(failure);
    await expect(store.sandboxes.list({ limit: 1000 })).rejects.toMatchObject(failure);
    await store.sandboxes.delete(row.id);
    expect(await store.sandboxes.list({ limit: 1000 })).toEqual([]);
    await store.close();
  });

  it('with a number beyond JavaScript is a typed error too', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const { store } = await openStore(path);
    await store.sandboxes.insert(newRow());
    await edit(path, 'UPDATE sandboxes SET used_at = 9223372036854775807');
    await expect(store.sandboxes.list({ limit: 1000 })).rejects.toMatchObject({ code: 'internal' });
    await store.close();
  });
});

describe('versions of the database (FR-22)', () => {
  const next = [
    ...migrations,
    { version: newestVersion(migrations) + 1, sql: 'ALTER TABLE sandboxes ADD COLUMN colour TEXT' },
  ];

  it('migrates an older database once, and keeps a copy of it', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const first = await openStore(path);
    const row = newRow();
    await first.store.sandboxes.insert(row);
    await first.store.close();

    const second = await openStore(path, { migrations: next });
    expect(second.notices.map(({ id }) => id)).toEqual(['migrated']);
    expect(await second.store.sandboxes.list({ limit: 1000 })).toEqual([row]);
    await second.store.close();
    const copy = second.notices[0]?.path ?? '';
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    const kept = await openStore(copy);
    expect(await kept.store.sandboxes.list({ limit: 1000 })).toEqual([row]);
    await kept.store.close();

    const third = await openStore(path, { migrations: next });
    expect(third.notices).toEqual([]);
    await third.store.close();
  });

  it('upgrades a home of version 5, whose sandboxes have lost nothing', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const row = newRow({ state: 'ready', ref: { v: 1, container: 'x' } });
    earlierWith(path, migrations.slice(0, 5), row);

    const upgraded = await openStore(path);
    expect(upgraded.notices.map(({ id }) => id)).toEqual(['migrated']);
    expect(await upgraded.store.sandboxes.list({ limit: 1000 })).toEqual([row]);
    const lostSince = '2026-01-02T03:04:05.000Z';
    await upgraded.store.sandboxes.update(row.id, { lostSince });
    expect(await upgraded.store.sandboxes.find(row.id)).toEqual({ ...row, lostSince });
    await upgraded.store.close();
  });

  it('refuses a newer database and leaves it as it is', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    await (await openStore(path, { migrations: next })).store.close();
    const before = await readFile(path);
    await expect(openStore(path)).rejects.toMatchObject({
      code: 'failed_precondition',
      details: { version: newestVersion(next) },
    });
    expect(await readFile(path)).toEqual(before);
  });

  it('does not migrate under a process that has the older version open', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const { store } = await openStore(path);
    await expect(openStore(path, { migrations: next, timeoutMs: 500 })).rejects.toMatchObject({
      code: 'failed_precondition',
      details: { state: 'outdated' },
    });
    await store.sandboxes.insert(newRow());
    await store.close();
  });

  it('undoes a migration that fails half way', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    await (await openStore(path)).store.close();
    const broken = [
      ...migrations,
      { version: newestVersion(migrations) + 1, sql: 'CREATE TABLE half (x TEXT); CREATE TABLE half (x TEXT)' },
    ];
    await expect(openStore(path, { migrations: broken })).rejects.toMatchObject({ code: 'internal' });
    const { store, notices } = await openStore(path);
    expect(notices).toEqual([]);
    await store.close();
  });
});

describe('the instance id', () => {
  it('comes back from the database when its file is lost or damaged', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const first = await openStore(path);
    await first.store.close();
    for (const content of ['', 'not an id\n', first.store.instance.slice(1)]) {
      await writeFile(join(directory.path, 'instance'), content);
      const { store, notices } = await openStore(path);
      expect(store.instance).toBe(first.store.instance);
      expect(notices.map(({ id }) => id)).toEqual(['instance-restored']);
      await store.close();
    }
    expect(await readFile(join(directory.path, 'instance'), 'utf8')).toBe(`${first.store.instance}\n`);
  });

  it('is never invented anew over a damaged file when the database is new too', async () => {
    await using directory = await scratch();
    await writeFile(join(directory.path, 'instance'), '???');
    await expect(openStore(join(directory.path, 'caisson.db'))).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});
