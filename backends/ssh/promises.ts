/** What the host promises to a sandbox: limits where systemd was seen to hold them, and little else. */
import type { Enforcement, Guarantees, LimitName } from '../../src/backend.ts';
import type { Scopes } from './scope.ts';

export const limitNames = ['cpuCores', 'memoryBytes', 'diskBytes', 'pids'] as const;

export function guaranteesOf(scopes: Scopes | null): Omit<Guarantees, 'directories'> {
  const limit = (name: LimitName): Enforcement =>
    scopes?.holds.includes(name) === true
      ? { enforced: true, by }
      : { enforced: false, reason: reasonFor(name, scopes) };
  return {
    isolation: 'remote-host',
    limits: {
      cpuCores: limit('cpuCores'),
      memoryBytes: limit('memoryBytes'),
      diskBytes: limit('diskBytes'),
      pids: limit('pids'),
    },
    network: ['open'],
    persistence: 'place',
    ephemeral: false,
    survivesRestart: true,
    kill: 'group',
    mounts: 'none',
    credentials: 'copy',
    hardening: { readOnlyRoot: false, seccomp: false, runtimes: [], shm: false, hostUser: true },
  };
}

const by = 'a systemd slice of the sandbox, which the account itself could lift';

/** prlimit(1) bounds one process, or all processes of the account together: neither is a sandbox. */
function reasonFor(name: LimitName, scopes: Scopes | null): string {
  if (name === 'diskBytes') return 'a sandbox is a directory of the account, and has no quota of its own';
  if (scopes === null)
    return 'systemd-run starts no scopes for the account there, and prlimit knows processes and accounts, not sandboxes';
  return 'systemd there does not hold this limit for the account (its controller is not delegated)';
}
