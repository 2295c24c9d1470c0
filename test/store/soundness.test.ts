/** When the database is read as a whole: a page that no start touches is damaged, and a start sets the file aside or does not see it. */
import { copyFile, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { openStore, type OpenOptions } from '../../src/store/sqlite/open.ts';
import { newRow } from './rows.ts';
import { HolderProcess, scratch } from './scratch.ts';

const dayMs = 86_400_000;

/** A database that was found sound, in which the table of sandboxes was overwritten since. */
async function damaged(directory: string): Promise<string> {
  const path = join(directory, 'caisson.db');
  const { store } = await openStore(path);
  await store.sandboxes.insert(newRow());
  await store.close();
  const db = new DatabaseSync(path);
  const { page } = db.prepare("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'sandboxes'").get() ?? {};
  db.close();
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(64, 0xff), 0, 64, (Number(page) - 1) * 4096);
  await file.close();
  return path;
}

async function noticesOf(path: string, options: OpenOptions = {}): Promise<readonly string[]> {
  const { store, notices } = await openStore(path, options);
  await store.close();
  return notices.map(({ id }) => id);
}

const at = (over: Partial<Clock>): Clock => ({ ...systemClock, bootId: systemClock.bootId, ...over });

describe.runIf(systemClock.bootId !== null)('a database that was found sound', () => {
  it('is not read as a whole again within a day of this boot, so that a start costs the same for any size', async () => {
    await using directory = await scratch();
    const path = await damaged(directory.path);
    expect(await noticesOf(path)).toEqual([]);
    const almost = at({ bootMs: () => systemClock.bootMs() + dayMs - 60_000 });
    expect(await noticesOf(path, { clock: almost })).toEqual([]);
  });

  it.each<[string, Clock]>([
    ['after a day', at({ bootMs: () => systemClock.bootMs() + dayMs })],
    ['in another boot', at({ bootId: 'another-boot' })],
    ['where the kernel names no boot', at({ bootId: null })],
  ])('is read again %s', async (_, clock) => {
    await using directory = await scratch();
    expect(await noticesOf(await damaged(directory.path), { clock })).toEqual(['quarantined']);
  });

  it('is read again when a process died with it open', async () => {
    await using directory = await scratch();
    const path = await damaged(directory.path);
    const other = new HolderProcess(path);
    await other.answer();
    expect(await noticesOf(path)).toEqual([]);
    await other.end('SIGKILL');
    expect(await noticesOf(path)).toEqual(['quarantined']);
  }, 30_000);

  it('is read again when another file took its place', async () => {
    await using directory = await scratch();
    const path = await damaged(directory.path);
    await copyFile(path, `${path}.copy`);
    await rename(`${path}.copy`, path);
    expect(await noticesOf(path)).toEqual(['quarantined']);
  });

  it('is read again when a statement met damage, as its message says', async () => {
    await using directory = await scratch();
    const path = await damaged(directory.path);
    const { store } = await openStore(path);
    await expect(store.sandboxes.list({ limit: 1000 })).rejects.toMatchObject({
      code: 'internal',
      remedy: /^restart Caisson/,
    });
    await store.close();
    expect(await noticesOf(path)).toEqual(['quarantined']);
  });

  it.each<[string, (mark: string) => Promise<void>]>([
    ['is torn', async (mark) => await writeFile(mark, '{"bootId"')],
    ['is gone', async (mark) => await rm(mark)],
  ])('is read again when the file that says so %s', async (_, change) => {
    await using directory = await scratch();
    const path = await damaged(directory.path);
    await change(`${path}.sound`);
    expect(await noticesOf(path)).toEqual(['quarantined']);
  });
});
