/** Volumes that an image declares (VOLUME in a Dockerfile): writable, and outside of what the spec says of the disk. */
import type { Sandbox, Spec } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import type { Plan } from '../plan/types.ts';
import type { Degradation } from '../store/store.ts';

/**
 * Listed where a control does not cover them. Throws `not_supported` for a read-only root, which only a demand gives, unless
 * degrading is allowed.
 */
export function volumesMissed(
  { placed, allowDegraded }: Pick<Plan, 'placed' | 'allowDegraded'>,
  { volumes = [] }: Pick<Sandbox, 'volumes'>,
): readonly Degradation[] {
  if (volumes.length === 0) return [];
  const missed = uncovered(placed, volumes.join(', '));
  const [refused] = missed.filter(({ asked }) => asked);
  if (refused === undefined || allowDegraded) return missed;
  throw new CaissonError('not_supported', `the root cannot be read-only: ${refused.reason}`, {
    details: { volumes },
    remedy:
      'take an image without VOLUME, mount a directory there, or allow it: --allow-degraded, or terminal.allow_degraded: true',
  });
}

function uncovered({ hardening, limits }: Spec, where: string): readonly Degradation[] {
  const reason = `the image declares volumes (${where}), which can be written`;
  const disk = `the image declares volumes (${where}), which the limit does not cover`;
  return [
    ...(hardening.readOnlyRoot ? [{ control: 'readOnlyRoot', wanted: true, reason, asked: true }] : []),
    ...(limits.diskBytes === null
      ? []
      : [{ control: 'diskBytes', wanted: limits.diskBytes, reason: disk, asked: false }]),
  ];
}
