/** What the host promises to a sandbox: the limits of its account, and no others. */
import type { Guarantees } from '../../src/backend.ts';

const unlimited = {
  enforced: false,
  reason: 'commands run under the account on the host, with the limits of that account and no others',
} as const;

export const guarantees: Guarantees = {
  isolation: 'remote-host',
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
