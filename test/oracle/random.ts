import { randomInt } from 'node:crypto';

/** Another one for each run, unless `CAISSON_ORACLE_SEED` repeats one. */
export function seedOfRun(given: string | undefined = process.env['CAISSON_ORACLE_SEED']): number {
  if (given === undefined) return randomInt(2 ** 31);
  if (!/^\d{1,10}$/.test(given)) throw new Error(`CAISSON_ORACLE_SEED is no seed: ${given}`);
  return Number(given);
}

/** Numbers that one seed gives again: mulberry32, which is enough to choose by. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return drawn(items, random).map(({ item }) => item);
}

function drawn<T>(items: readonly T[], random: () => number): readonly { readonly item: T; readonly index: number }[] {
  return items.map((item, index) => ({ item, index, at: random() })).toSorted((a, b) => a.at - b.at);
}

/** `count` of the items, in their order. */
export function chosen<T>(items: readonly T[], count: number, random: () => number): readonly T[] {
  return drawn(items, random)
    .slice(0, count)
    .toSorted((a, b) => a.index - b.index)
    .map(({ item }) => item);
}
