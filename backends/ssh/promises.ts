/** What the host promises to a sandbox: the limits of its account, and no others. */
import type { Guarantees, Spec } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';

const limitNames = ['cpuCores', 'memoryBytes', 'diskBytes', 'pids'] as const;
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

/** Nothing that was asked for is left out silently, even though core compares first. */
export function refuseMore({ limits, hardening, network, mounts }: Spec): void {
  const asked = [
    ...limitNames.filter((name) => limits[name] !== null),
    ...(guarantees.network.includes(network) ? [] : ['network']),
    ...(mounts.length > 0 ? ['mounts'] : []),
    ...(hardening.readOnlyRoot ? ['readOnlyRoot'] : []),
    ...(hardening.runtime === null ? [] : ['runtime']),
    ...(hardening.shmBytes === null ? [] : ['shmBytes']),
  ];
  if (asked.length === 0) return;
  throw new CaissonError('not_supported', `the ssh backend cannot give: ${asked.join(', ')}`, {
    details: { controls: asked },
    remedy: 'leave them out, allow them to miss, or take a backend with containers',
  });
}
