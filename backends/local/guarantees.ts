/** What the host promises to a local sandbox: very little, and it says so. */
import type { Guarantees } from '../../src/backend.ts';

const unlimited = {
  enforced: false,
  reason: 'commands run on the host itself, with the limits of its account and no others',
} as const;

export const guarantees: Guarantees = {
  isolation: 'none',
  limits: { cpuCores: unlimited, memoryBytes: unlimited, diskBytes: unlimited, pids: unlimited },
  network: ['open'],
  persistence: 'place',
  ephemeral: false,
  survivesRestart: true,
  kill: 'group',
  mounts: 'none',
  credentials: 'copy',
  hardening: { readOnlyRoot: false, seccomp: false, runtimes: [], shm: false, hostUser: true },
};
