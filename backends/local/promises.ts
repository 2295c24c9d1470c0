/** What the host promises to a local sandbox: very little, and it says so. */
import type { Guarantees, Spec } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';

const limitNames = ['cpuCores', 'memoryBytes', 'diskBytes', 'pids'] as const;
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

/** Nothing that was asked for is left out silently, even though core compares first. */
export function refuseMore(given: Guarantees, spec: Spec): void {
  const { limits, hardening } = spec;
  const asked = [
    ...limitNames.filter((name) => limits[name] !== null && !given.limits[name].enforced),
    ...(given.network.includes(spec.network) ? [] : ['network']),
    ...(spec.mounts.length > 0 && given.mounts === 'none' ? ['mounts'] : []),
    ...(hardening.readOnlyRoot && !given.hardening.readOnlyRoot ? ['readOnlyRoot'] : []),
    ...(hardening.runtime !== null && !given.hardening.runtimes.includes(hardening.runtime) ? ['runtime'] : []),
    ...(hardening.shmBytes !== null && !given.hardening.shm ? ['shmBytes'] : []),
  ];
  if (asked.length === 0) return;
  throw new CaissonError('not_supported', `the ${spec.backend} backend cannot give: ${asked.join(', ')}`, {
    details: { controls: asked },
    remedy: 'leave them out, allow them to miss, or take a backend with containers',
  });
}
