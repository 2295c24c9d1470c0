/** Why a plan takes no member of the pool, whichever are ready. Pure. */
import { isFilteredByPlace } from '../egress/way-out.ts';
import type { Plan } from '../plan/types.ts';
import type { Context } from '../sandbox/context.ts';
import { accessOf } from '../sandbox/registry-access.ts';
import type { PoolMiss } from '../values/caller.ts';
import { registryOf } from '../values/image.ts';
import { ownerOf } from '../values/owner.ts';

type Asking = Pick<Plan, 'taskId' | 'spec' | 'degraded' | 'placed'>;

/** `null`: a member of the same key serves. */
export function missOf(plan: Asking, registries: Context['registries']): PoolMiss | null {
  const { spec } = plan;
  if (spec.mounts.length > 0) return 'mounts';
  if (spec.network === 'observe' || isFilteredByPlace(plan)) return 'network';
  return isAskedFor(plan, registries) ? 'registry' : null;
}

/** The login that brought the image to the pool may not be the claimer's: a creation asks the registry. */
function isAskedFor({ taskId, placed: { image } }: Asking, registries: Context['registries']): boolean {
  if (image === null) return false;
  return accessOf(registries, { owner: ownerOf(taskId), image, host: registryOf(image) })?.isAsked === true;
}
