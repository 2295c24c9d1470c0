/** What an owner may have, as the store decides by it. Pure. */
import type { Allowed } from '../config/owners.ts';
import type { Quota } from '../store/quota.ts';

const mebibyte = 1024 ** 2;

/** `null`: the owner has no such limit, and the store has nothing to decide. */
export function quotaOf({ sandboxes, total_cpu: cpu, total_memory: memory, total_disk: disk }: Allowed): Quota | null {
  if ([sandboxes, cpu, memory, disk].every((max) => max === undefined)) return null;
  const total = {
    cpuCores: cpu ?? null,
    memoryBytes: memory === undefined ? null : memory * mebibyte,
    diskBytes: disk === undefined ? null : disk * mebibyte,
  };
  return { sandboxes: sandboxes ?? null, total };
}
