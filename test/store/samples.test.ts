/** The table of samples. */
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { SampleMinute } from '../../src/store/samples.ts';
import { newRow } from './rows.ts';
import { scratch } from './scratch.ts';

const minuteMs = 60_000;
const beginMs = 1_800_000_000_000 - (1_800_000_000_000 % minuteMs);

const minuteOf = (sandboxId: string, at: number, pids: number): SampleMinute => ({
  sandboxId,
  readings: [0, 10_000].map((passed) => ({ atMs: beginMs + at * minuteMs + passed, values: [0.5, NaN, pids] })),
  minute: { atMs: beginMs + at * minuteMs, values: [0.5, NaN, pids, 0.75, NaN, pids] },
});

it('has what was written of a minute last, beside its sandbox, also for the next process', async () => {
  await using directory = await scratch();
  const path = join(directory.path, 'caisson.db');
  const { store } = await openStore(path);
  const row = newRow();
  await store.sandboxes.insert(row);
  await store.samples.add([minuteOf(row.id, 0, 1), minuteOf('sbx_gone', 0, 9), minuteOf(row.id, 1, 2)]);
  await store.samples.add([minuteOf(row.id, 1, 3)]);
  await store.close();
  const { store: next } = await openStore(path);
  const kept = await next.samples.of(row.id, 0);
  const wanted = [minuteOf(row.id, 0, 1), minuteOf(row.id, 1, 3)];
  expect(kept).toEqual({
    readings: wanted.flatMap(({ readings }) => readings),
    minutes: wanted.map(({ minute }) => minute),
  });
  expect((await next.samples.of(row.id, beginMs + minuteMs)).minutes).toEqual([wanted[1]?.minute]);
  expect(await next.samples.of('sbx_gone', 0)).toEqual({ readings: [], minutes: [] });
  await next.sandboxes.delete(row.id);
  await next.close();
  const db = new DatabaseSync(path);
  expect(db.prepare('SELECT count(*) AS n FROM samples').get()).toEqual({ n: 0 });
  db.close();
});

it('keeps readings of an hour and minutes of a day, at most 1,800 rows a sandbox', async () => {
  await using directory = await scratch();
  const path = join(directory.path, 'caisson.db');
  const { store } = await openStore(path);
  const row = newRow();
  await store.sandboxes.insert(row);
  const count = 2 * 1440;
  await store.samples.add(Array.from({ length: count }, (_, at) => minuteOf(row.id, at, at)));
  const { readings, minutes } = await store.samples.of(row.id, 0);
  expect([readings.length, minutes.length]).toEqual([120, 1440]);
  expect([readings[0]?.values[2], minutes[0]?.values[2], minutes.at(-1)?.values[2]]).toEqual([
    count - 60,
    count - 1440,
    count - 1,
  ]);
  await store.close();
  const db = new DatabaseSync(path);
  expect(db.prepare('SELECT count(*) AS n FROM samples').get()).toEqual({ n: 1500 });
  expect(db.prepare("SELECT sum(pgsize) < 200000 AS few FROM dbstat WHERE name = 'samples'").get()).toEqual({ few: 1 });
  db.close();
});

it('refuses figures that it did not write', async () => {
  await using directory = await scratch();
  const path = join(directory.path, 'caisson.db');
  const { store } = await openStore(path);
  const row = newRow();
  await store.sandboxes.insert(row);
  const db = new DatabaseSync(path);
  for (const figures of [new Uint8Array(0), new Uint8Array(7), new Uint8Array(Float32Array.of(4, 1, 2).buffer)]) {
    db.prepare('INSERT OR REPLACE INTO samples VALUES (?, ?, ?, ?)').run(row.id, 'minute', beginMs, figures);
    await expect(store.samples.of(row.id, 0)).rejects.toThrow(/figures should be rows of figures/);
  }
  db.close();
  await store.close();
});
