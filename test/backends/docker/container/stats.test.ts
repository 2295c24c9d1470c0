import { describe, expect, test } from 'vitest';
import { toStats } from '../../../../backends/docker/container/stats.ts';

const base = { cpu_stats: { cpu_usage: { total_usage: 5_000 } }, pids_stats: { current: 3, limit: 256 } };

describe('a reading of what a sandbox uses', () => {
  test('leaves the page cache out, as version 1 of cgroups tells it', () => {
    const answer = {
      ...base,
      memory_stats: { usage: 1000, limit: 4000, stats: { total_inactive_file: 300, inactive_file: 1 } },
    };
    expect(toStats(answer)).toMatchObject({
      memoryBytes: 700,
      memoryLimitBytes: 4000,
      cpuNanos: 5000,
      pids: 3,
      pidsLimit: 256,
    });
  });

  test('leaves the page cache out, as version 2 of cgroups tells it', () => {
    expect(
      toStats({ ...base, memory_stats: { usage: 1000, limit: 4000, stats: { inactive_file: 400 } } }).memoryBytes,
    ).toBe(600);
  });

  test('adds up all networks, and knows of no traffic without one', () => {
    const networks = { eth0: { rx_bytes: 1, tx_bytes: 2 }, eth1: { rx_bytes: 10, tx_bytes: 20 } };
    expect(toStats({ ...base, networks })).toMatchObject({ networkReceivedBytes: 11, networkSentBytes: 22 });
    expect(toStats(base)).toMatchObject({ networkReceivedBytes: null, networkSentBytes: null });
  });

  test('invents nothing when the engine tells nothing', () => {
    const unknown = {
      cpuNanos: null,
      memoryBytes: null,
      memoryLimitBytes: null,
      pids: null,
      pidsLimit: null,
      networkReceivedBytes: null,
      networkSentBytes: null,
    };
    expect([toStats({}), toStats('x'), toStats({ memory_stats: { usage: 'a lot' } })]).toEqual([
      unknown,
      unknown,
      unknown,
    ]);
  });
});
