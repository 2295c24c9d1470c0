/** One reading of what a container uses, in the shapes of both cgroup versions. */
import type { Stats } from '../../../src/backend.ts';
import { number, object, type Json } from '../engine/json.ts';

export function toStats(value: unknown): Stats {
  const answer = object(value);
  const memory = object(answer['memory_stats']);
  const pids = object(answer['pids_stats']);
  const networks = Object.values(object(answer['networks'])).map(object);
  return {
    cpuNanos: number(object(object(answer['cpu_stats'])['cpu_usage'])['total_usage']),
    memoryBytes: usedMemory(memory),
    memoryLimitBytes: number(memory['limit']),
    pids: number(pids['current']),
    pidsLimit: number(pids['limit']),
    networkReceivedBytes: total(networks, 'rx_bytes'),
    networkSentBytes: total(networks, 'tx_bytes'),
  };
}

/** Without the page cache that the kernel would give back, as `docker stats` counts (docker/cli stats_helpers.go). */
function usedMemory(memory: Json): number | null {
  const usage = number(memory['usage']);
  const details = object(memory['stats']);
  const cache = number(details['total_inactive_file']) ?? number(details['inactive_file']) ?? 0;
  if (usage === null) return null;
  return cache < usage ? usage - cache : usage;
}

function total(networks: readonly Json[], name: string): number | null {
  if (networks.length === 0) return null;
  return networks.reduce((sum, network) => sum + (number(network[name]) ?? 0), 0);
}
