/** Nothing that was asked for is left out silently, even though core compares first. */
import type { Guarantees, Spec } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';

const limitNames = ['cpuCores', 'memoryBytes', 'diskBytes', 'pids'] as const;

/** Throws `not_supported`, naming every control of the spec that is not promised. */
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
    remedy: 'leave them out, allow them to miss, or take a backend that has them',
  });
}
