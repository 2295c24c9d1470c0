/** What the host promises to a sandbox: limits where systemd was seen to hold them, and little else. */
import { isDeepStrictEqual } from 'node:util';
import type { Enforcement, Guarantees, LimitName } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
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

/**
 * What every host of a pool promises. Throws `failed_precondition` when their directories differ: a spec names the
 * directory of its task before a host is chosen.
 */
export function joinGuarantees(all: readonly Guarantees[]): Guarantees {
  const [first, ...others] = all;
  if (first === undefined) throw new CaissonError('internal', 'there are no hosts to ask');
  const odd = others.find(({ directories }) => !isDeepStrictEqual(directories, first.directories));
  if (odd !== undefined)
    throw new CaissonError(
      'failed_precondition',
      'the hosts of terminal.ssh_hosts keep their files in different places',
      {
        details: { directories: [first.directories, odd.directories] },
        remedy: 'use accounts with the same home directory (and XDG_STATE_HOME) on all of them',
      },
    );
  const limit = (name: LimitName): Enforcement =>
    all.map(({ limits }) => limits[name]).find(({ enforced }) => !enforced) ?? first.limits[name];
  return {
    ...first,
    limits: {
      cpuCores: limit('cpuCores'),
      memoryBytes: limit('memoryBytes'),
      diskBytes: limit('diskBytes'),
      pids: limit('pids'),
    },
  };
}
