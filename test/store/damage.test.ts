/** FR-12 and FR-13: torn files and full disks. */
import { execFileSync } from 'node:child_process';
import { mkdir, open, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { newRow } from './rows.ts';
import { HolderProcess, scratch } from './scratch.ts';

const page = 4096;

async function filled(path: string): Promise<{ readonly instance: string; readonly size: number }> {
  const { store } = await openStore(path);
  for (let n = 0; n < 40; n += 1) await store.sandboxes.insert(newRow());
  await store.close();
  return { instance: store.instance, size: (await stat(path)).size };
}

async function overwrite(path: string, offset: number, change: (bytes: Buffer) => Buffer): Promise<void> {
  const file = await open(path, 'r+');
  const bytes = Buffer.alloc(64);
  await file.read(bytes, 0, bytes.length, offset);
  await file.write(change(bytes), 0, bytes.length, offset);
  await file.close();
}

const flipped = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0xff));
const zeroed = (bytes: Buffer): Buffer => Buffer.alloc(bytes.length);

/** What tears a page is a crash of the machine, after which it is booted. */
const afterBoot: Clock = { ...systemClock, bootId: 'another-boot' };

/** The store works, is empty, belongs to the same instance, and the damaged file is kept. */
async function expectRenewed(path: string, instance: string): Promise<void> {
  const { store, notices } = await openStore(path, { clock: afterBoot });
  expect(notices.map(({ id }) => id)).toEqual(['quarantined']);
  expect(store.instance).toBe(instance);
  expect(await store.sandboxes.list({ limit: 1000 })).toEqual([]);
  const row = newRow();
  await store.sandboxes.insert(row);
  expect(await store.sandboxes.list({ limit: 1000 })).toEqual([row]);
  await store.close();
  expect(await stat(notices[0]?.path ?? '')).toBeTruthy();
  const again = await openStore(path);
  expect(again.notices).toEqual([]);
  await again.store.close();
}

describe('a torn database', () => {
  it.each(['flipped', 'zeroed'])(
    'with a page start %s is set aside and kept, wherever it is hit',
    async (how) => {
      await using directory = await scratch();
      const { size } = await filled(join(directory.path, 'size', 'caisson.db'));
      expect(size).toBeGreaterThan(8 * page);
      for (let offset = 0; offset < size; offset += page) {
        const path = join(directory.path, `${how}-${offset}`, 'caisson.db');
        const { instance } = await filled(path);
        await overwrite(path, offset, how === 'flipped' ? flipped : zeroed);
        await expectRenewed(path, instance);
      }
    },
    120_000,
  );

  it('that was cut off is set aside and kept, wherever it was cut', async () => {
    await using directory = await scratch();
    for (const length of [0, 1, 99, 100, page - 1, page, page + 1, 3 * page, 5 * page + 17]) {
      const path = join(directory.path, `cut-${length}`, 'caisson.db');
      const { instance } = await filled(path);
      await truncate(path, length);
      await expectRenewed(path, instance);
    }
  }, 60_000);

  it('that is something else altogether is set aside with its journals', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const { instance } = await filled(path);
    for (const suffix of ['', '-wal', '-shm']) await writeFile(path + suffix, 'not a database');
    await expectRenewed(path, instance);
    const kept = (await readdir(directory.path)).filter((name) => name.includes('.damaged-'));
    expect(kept.map((name) => name.replace(/.*\d{8}T\d{6}Z/, '')).sort()).toEqual(['', '-shm', '-wal']);
  });

  it('is not set aside under a process that has it open', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    await filled(path);
    const other = new HolderProcess(path);
    await other.answer();
    await overwrite(path, 0, flipped);
    await expect(openStore(path, { timeoutMs: 500 })).rejects.toMatchObject({
      code: 'failed_precondition',
      details: { state: 'damaged' },
    });
    await other.end('SIGKILL');
    const { store, notices } = await openStore(path);
    expect(notices.map(({ id }) => id)).toEqual(['quarantined']);
    await store.close();
  }, 30_000);

  it('is set aside once when several processes find it at the same time', async () => {
    await using directory = await scratch();
    const path = join(directory.path, 'caisson.db');
    const { instance } = await filled(path);
    await overwrite(path, 0, flipped);
    const racers = Array.from({ length: 4 }, () => new HolderProcess(path));
    const answers = await Promise.all(racers.map((each) => each.answer()));
    expect([...answers].sort()).toEqual([instance, instance, instance, `${instance} quarantined`]);
    await Promise.all(racers.map((each) => each.end('SIGKILL')));
  }, 30_000);
});

const mayMount = process.getuid?.() === 0 && canMount();

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a full disk', () => {
  it.runIf(mayMount)(
    'is reported as resource_exhausted at each write, and forgotten when there is space again',
    async () => {
      await using disk = await smallDisk();
      const { path: home } = disk;
      const { store } = await openStore(join(home, 'caisson.db'));
      const row = newRow();
      await store.sandboxes.insert(row);
      await fill(join(home, 'ballast'));
      const full = { code: 'resource_exhausted', retryable: true };
      await expect(
        untilItFails(async () => await store.sandboxes.update(row.id, { usedAt: Date.now() })),
      ).rejects.toMatchObject(full);
      await expect(store.sandboxes.insert(newRow())).rejects.toMatchObject(full);
      await expect(store.leases.acquire('task:a')).rejects.toMatchObject(full);
      expect(await store.sandboxes.find(row.id)).toMatchObject({ id: row.id });
      await rm(join(home, 'ballast'));
      expect(await store.leases.acquire('task:a')).toBe(true);
      await store.sandboxes.update(row.id, { state: 'ready' });
      await store.close();
    },
    30_000,
  );

  it.runIf(mayMount)(
    'at the start is resource_exhausted too, and not taken for damage',
    async () => {
      await using disk = await smallDisk();
      const { path: home } = disk;
      await fill(join(home, 'ballast'));
      await expect(openStore(join(home, 'caisson.db'))).rejects.toMatchObject({ code: 'resource_exhausted' });
      await rm(join(home, 'ballast'));
      const { store } = await openStore(join(home, 'caisson.db'));
      await store.sandboxes.insert(newRow());
      await store.close();
    },
    30_000,
  );
});

/** One megabyte. */
async function smallDisk(): Promise<{ readonly path: string } & AsyncDisposable> {
  const directory = await scratch();
  const path = join(directory.path, 'small');
  await mkdir(path);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'caisson-test', path]);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      execFileSync('umount', [path]);
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await untilItFails(async () => void (await file.write(Buffer.alloc(page))));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}

/** A journal has some room of its own before it grows. */
async function untilItFails(work: () => Promise<void>): Promise<void> {
  for (let n = 0; n < 5000; n += 1) await work();
}
