/** How many members an entry is to have, and which of its rows are not wanted any more. Pure. */
import type { SandboxRow } from '../store/store.ts';

export interface Wanted {
  readonly entry: string;
  readonly key: string;
  /** Id of the image by now. `null`: the place does not tell. */
  readonly image: string | null;
  readonly size: number;
  /** `null`: no bound. */
  readonly memoryBytes: number | null;
  /** Memory limit of one. `null`: none, so that a bound on all cannot be held. */
  readonly memberBytes: number | null;
}

type Member = Pick<SandboxRow, 'id' | 'fingerprint' | 'state' | 'pool'>;

/** The most that both bounds leave. One without a memory limit may take any amount. */
export function sizeWithin({ size, memoryBytes, memberBytes }: Omit<Wanted, 'entry' | 'key' | 'image'>): number {
  if (memoryBytes === null) return size;
  return memberBytes === null ? 0 : Math.min(size, Math.floor(memoryBytes / memberBytes));
}

/** Those that an entry has, also while they are made. */
export function membersOf({ key, entry, image }: Wanted, rows: readonly Member[]): readonly Member[] {
  return rows.filter(
    ({ fingerprint, state, pool }) =>
      state !== 'destroying' && fingerprint === key && pool?.entry === entry && isSameImage(pool.image, image),
  );
}

/** Ready ones that no entry wants: made from another configuration or image, or more than there may be. */
export function unwanted(wanted: readonly Wanted[], rows: readonly Member[]): readonly Member[] {
  const kept = new Set(wanted.flatMap((each) => membersOf(each, rows).slice(0, sizeWithin(each))));
  return rows.filter((row) => row.state === 'pooled' && !kept.has(row));
}

const isSameImage = (made: string | null, now: string | null): boolean => made === null || now === null || made === now;
