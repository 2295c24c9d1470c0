/** What a sync does, from what is there and what both sides agreed on last. Pure. Paths are `ByteName`s below the roots. */
import type { ByteName } from '../byte-name.ts';

/** SHA-256 by path. */
export type Hashes = ReadonlyMap<ByteName, string>;

export interface Sides {
  readonly from: Hashes;
  readonly to: Hashes;
  /** What both sides had after the last sync. */
  readonly agreed: Hashes;
  /** What a sync that did not end may have put at the target. */
  readonly placed: Hashes;
}

export interface SyncPlan {
  readonly send: readonly ByteName[];
  readonly remove: readonly ByteName[];
  /** Changed on both sides, or at the target alone where it is not known whether that was meant. */
  readonly conflicts: readonly ByteName[];
  readonly unchanged: number;
}

/** What was changed at the target since the last sync is never overwritten, unless `overwrite` says so. */
export function planSync({ from, to, agreed, placed }: Sides, overwrite: boolean): SyncPlan {
  const plan = { send: [] as ByteName[], remove: [] as ByteName[], conflicts: [] as ByteName[], unchanged: 0 };
  const isOurs = (path: ByteName, there: string): boolean => there === agreed.get(path) || there === placed.get(path);
  for (const [path, hash] of from) {
    const there = to.get(path);
    if (there === hash) plan.unchanged += 1;
    else if (overwrite || there === undefined || isOurs(path, there)) plan.send.push(path);
    else plan.conflicts.push(path);
  }
  for (const path of new Set([...agreed.keys(), ...placed.keys()])) {
    const there = to.get(path);
    if (from.has(path) || there === undefined) continue;
    if (isOurs(path, there) || (overwrite && agreed.has(path))) plan.remove.push(path);
    else if (agreed.has(path)) plan.conflicts.push(path);
  }
  return plan;
}
