/** Compares as many of the pairings as there is time for, in their order: what is left out is a matter of the seed and of the clock alone. */
import { type Compared, compare, type Pairing } from './compare.ts';
import type { OraclePlace } from './place.ts';

/** A slice is run to its end. */
const sliceLength = 20;

/** `endsAt`: by `performance.now()`. */
export async function compareWithin(
  place: OraclePlace,
  pairings: readonly Pairing[],
  endsAt: number,
): Promise<Compared & { readonly left: number }> {
  const all: Compared[] = [];
  let done = 0;
  while (done < pairings.length && performance.now() < endsAt) {
    const slice = pairings.slice(done, done + sliceLength);
    all.push(await compare(place, slice));
    done += slice.length;
  }
  return {
    ran: all.reduce((sum, { ran }) => sum + ran, 0),
    found: all.flatMap(({ found }) => found),
    unsteady: all.flatMap(({ unsteady }) => unsteady),
    left: pairings.length - done,
  };
}
