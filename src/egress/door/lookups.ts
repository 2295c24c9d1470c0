/** The name lookups of one door: a few at once, the others in turn, so that slow names of one sandbox delay no other. */
import PQueue from 'p-queue';
import { CaissonError } from '../../errors.ts';
import type { Lookup } from '../../network/dial/vet.ts';
import type { DoorLimits } from './limits.ts';

export function fewAtOnce(
  lookup: Lookup,
  { maxLookups, lookupTimeoutMs }: Pick<DoorLimits, 'maxLookups' | 'lookupTimeoutMs'>,
): Lookup {
  const queue = new PQueue({ concurrency: maxLookups });
  return async (name) => {
    const deadline = performance.now() + lookupTimeoutMs;
    return await queue.add(async () => {
      // Its connection has got its answer already.
      if (performance.now() > deadline) throw new CaissonError('timed_out', 'the lookup waited too long for others');
      return await lookup(name);
    });
  };
}
