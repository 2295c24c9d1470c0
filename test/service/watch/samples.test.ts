import { afterEach, expect, it, vi } from 'vitest';
import type { Stats } from '../../../src/backend.ts';
import type { SampleMinute } from '../../../src/store/samples.ts';
import { Ring } from '../../../src/service/watch/ring.ts';
import { Sampler } from '../../../src/service/watch/sampler.ts';
import { Series } from '../../../src/service/watch/series.ts';

const mib = 1024 ** 2;
const beginMs = Date.parse('2026-01-01T00:00:00Z');

const statsOf = (given: Partial<Stats>): Stats => ({
  cpuNanos: null,
  memoryBytes: null,
  memoryLimitBytes: null,
  pids: null,
  pidsLimit: null,
  networkReceivedBytes: null,
  networkSentBytes: null,
  ...given,
});

afterEach(() => void vi.useRealTimers());

it('rates are of the time between two readings, and the first has no rate, as after a start anew', () => {
  const series = new Series();
  const readings = [
    { cpuNanos: 1e9, networkReceivedBytes: 1000 },
    { cpuNanos: 6e9, networkReceivedBytes: 21_000 },
    { cpuNanos: 1e8, networkReceivedBytes: 0 },
  ];
  for (const [at, stats] of readings.entries()) series.add({ stats: statsOf(stats), atMs: beginMs + at * 10_000 });
  const { recent } = series.read(beginMs + 20_000);
  expect(recent.map(({ cpuCores }) => cpuCores)).toEqual([null, 0.5, null]);
  expect(recent.map(({ receivedPerSecond }) => receivedPerSecond)).toEqual([null, 2000, null]);
  expect(recent.map(({ sentPerSecond, pids }) => [sentPerSecond, pids])).toEqual(readings.map(() => [null, null]));
  expect(recent[1]?.at).toBe('2026-01-01T00:00:10.000Z');
});

it('a minute has the mean and the highest of its readings, and is there once it has ended', () => {
  const series = new Series();
  for (const [at, memory] of [10, 20, 60, 5].entries())
    series.add({ stats: statsOf({ memoryBytes: memory * mib }), atMs: beginMs + at * 20_000 });
  const { minutes } = series.read(beginMs + 60_000);
  expect(minutes.map(({ at, mean, max }) => [at, mean.memoryBytes, max.memoryBytes, max.pids])).toEqual([
    ['2026-01-01T00:00:00.000Z', 30 * mib, 60 * mib, null],
  ]);
});

it('a minute that is over is there without a reading after it, also where it was kept by another process', () => {
  const series = new Series();
  for (const at of [0, 10, 20]) series.add({ stats: statsOf({ pids: at }), atMs: beginMs + at * 1000 });
  expect(series.read(beginMs + 59_999).minutes).toEqual([]);
  const { minutes } = series.read(beginMs + 60_000);
  expect(minutes.map(({ max, mean }) => [max.pids, mean.pids])).toEqual([[20, 10]]);
  const { readings, minute } = series.open ?? expect.unreachable();
  const next = new Series();
  next.add({ stats: statsOf({ pids: 1 }), atMs: beginMs + 70_000 });
  for (const kept of [readings, []]) {
    next.precede({ readings: kept, minutes: [minute] });
    expect(next.read(beginMs + 70_000).minutes).toEqual(minutes);
    expect(next.read(beginMs + 70_000).recent.map(({ pids }) => pids)).toEqual([0, 10, 20, 1]);
  }
});

it('an hour of readings and a day of minutes are kept, at most 1,800 rows', () => {
  const series = new Series();
  const count = 2 * 8640;
  for (let at = 0; at < count; at++) series.add({ stats: statsOf({ pids: at }), atMs: beginMs + at * 10_000 });
  const nowMs = beginMs + (count - 1) * 10_000;
  const { recent, minutes } = series.read(nowMs);
  expect([recent.length, minutes.length]).toEqual([360, 1439]);
  expect(recent.at(-1)?.pids).toBe(count - 1);
  expect(minutes.at(-1)?.max.pids).toBe(count - 7);
  expect(series.read(nowMs, 3)).toMatchObject({ recent: [count - 3, count - 2, count - 1].map((pids) => ({ pids })) });
  expect(series.read(nowMs, 3).minutes).toEqual([]);
  expect(series.read(nowMs + 3_600_001).recent).toEqual([]);
});

it('a ring gives its last rows in their order, whatever it has grown and turned', () => {
  const ring = new Ring({ width: 2, maxRows: 40 });
  for (let at = 0; at < 100; at++) {
    ring.push({ atMs: at, values: [at, -at] });
    const first = Math.max(0, at - 39);
    expect(ring.last().map(({ atMs }) => atMs)).toEqual(
      Array.from({ length: at + 1 - first }, (_, each) => first + each),
    );
  }
  expect(ring.last(2)).toEqual([
    { atMs: 98, values: [98, -98] },
    { atMs: 99, values: [99, -99] },
  ]);
});

interface Place {
  readonly read: () => Promise<Stats>;
}

/** Samples of the store, as far as a sampler needs them. */
function keptSamples() {
  const kept = new Map<string, SampleMinute[]>();
  return {
    kept,
    add: (minutes: readonly SampleMinute[]): Promise<void> => {
      for (const each of minutes) {
        const others = (kept.get(each.sandboxId) ?? []).filter(({ minute }) => minute.atMs !== each.minute.atMs);
        kept.set(each.sandboxId, [...others, each]);
      }
      return Promise.resolve();
    },
    of: (id: string, sinceMs: number) => {
      const found = (kept.get(id) ?? []).filter(({ minute }) => minute.atMs >= sinceMs);
      const readings = found.flatMap((each) => each.readings);
      return Promise.resolve({ readings, minutes: found.map(({ minute }) => minute) });
    },
  };
}

function sampled(places: Readonly<Record<string, Place>>, samples = keptSamples()) {
  const live = new Map(Object.entries(places).map(([id, stats]) => [id, { stats }]));
  const rows = new Set(Object.keys(places));
  const find = (id: string): Promise<object | null> => Promise.resolve(rows.has(id) ? {} : null);
  const context: object = { live, store: { sandboxes: { find }, samples } };
  const sampler = new Sampler(Object(context));
  sampler.begin();
  return { sampler, live, rows, samples };
}

it('every sandbox is read each ten seconds, a share of them each half second', async () => {
  vi.useFakeTimers();
  const counts = new Map<string, number>();
  const names = Array.from({ length: 100 }, (_, at) => `sbx_${at}`);
  const places = names.map((name) => [
    name,
    {
      read: () => {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return Promise.resolve(statsOf({ pids: 1 }));
      },
    },
  ]);
  const { sampler } = sampled(Object.fromEntries(places));
  let before = 0;
  for (let at = 0; at < 60; at++) {
    await vi.advanceTimersByTimeAsync(500);
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    expect(all - before).toBeLessThanOrEqual(5);
    before = all;
  }
  for (const name of names) expect(counts.get(name)).toBeGreaterThanOrEqual(2);
  sampler.stop();
  await vi.advanceTimersByTimeAsync(30_000);
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(before);
});

it('a place that takes long, or fails, is asked once a minute', async () => {
  vi.useFakeTimers();
  let slow = 0;
  let failing = 0;
  const { sampler } = sampled({
    sbx_slow: {
      read: async () => {
        slow += 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return statsOf({ pids: 1 });
      },
    },
    sbx_failing: {
      read: () => {
        failing += 1;
        return Promise.reject(new Error('away'));
      },
    },
  });
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(slow).toBeGreaterThanOrEqual(9);
  expect(slow).toBeLessThanOrEqual(12);
  expect(failing).toBeGreaterThanOrEqual(9);
  expect(failing).toBeLessThanOrEqual(11);
  expect(await sampler.of('sbx_failing', {})).toEqual({ recent: [], minutes: [] });
  sampler.stop();
});

it('samples go with their sandbox, and stay with one that is stopped', async () => {
  vi.useFakeTimers({ now: beginMs });
  const place = { read: () => Promise.resolve(statsOf({ pids: 1 })) };
  const { sampler, live, rows } = sampled({ sbx_gone: place, sbx_stopped: place });
  await vi.advanceTimersByTimeAsync(15_000);
  live.clear();
  rows.delete('sbx_gone');
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await sampler.of('sbx_gone', {})).recent).toEqual([]);
  expect((await sampler.of('sbx_stopped', {})).recent.length).toBeGreaterThan(0);
  sampler.stop();
});

it('samples outlive the process, also those of a minute that was not over, which goes on', async () => {
  vi.useFakeTimers({ now: beginMs });
  const place = { read: () => Promise.resolve(statsOf({ pids: Math.floor((Date.now() - beginMs) / 1000) })) };
  const first = sampled({ sbx_kept: place });
  await vi.advanceTimersByTimeAsync(95_000);
  const before = await first.sampler.of('sbx_kept', {});
  expect([before.recent.length, before.minutes.length]).toEqual([10, 1]);
  expect(first.samples.kept.get('sbx_kept')).toHaveLength(1);
  first.sampler.stop();
  const second = sampled({ sbx_kept: place }, first.samples);
  await vi.advanceTimersByTimeAsync(5000);
  const after = await second.sampler.of('sbx_kept', {});
  expect(after.recent.slice(0, 10)).toEqual(before.recent);
  expect(after.recent).toHaveLength(11);
  expect(after.minutes).toEqual(before.minutes);
  await vi.advanceTimersByTimeAsync(30_000);
  const [, minute] = (await second.sampler.of('sbx_kept', {})).minutes;
  const ofMinute = (await second.sampler.of('sbx_kept', {})).recent.filter(
    ({ at }) => at >= '2026-01-01T00:01' && at < '2026-01-01T00:02',
  );
  expect(minute?.max.pids).toBe(Math.max(...ofMinute.map(({ pids }) => pids ?? 0)));
  expect(ofMinute.length).toBeGreaterThanOrEqual(6);
  expect((await second.sampler.of('sbx_other', {})).recent).toEqual([]);
  second.sampler.stop();
});

it('a store that cannot write or read takes nothing from the readings', async () => {
  vi.useFakeTimers({ now: beginMs });
  const failed = () => Promise.reject(new Error('the disk is full'));
  const samples = { ...keptSamples(), add: failed, of: failed };
  const { sampler } = sampled({ sbx_kept: { read: () => Promise.resolve(statsOf({ pids: 1 })) } }, samples);
  await vi.advanceTimersByTimeAsync(95_000);
  expect((await sampler.of('sbx_kept', {})).recent.length).toBeGreaterThanOrEqual(9);
  sampler.stop();
  await vi.advanceTimersByTimeAsync(0);
});
