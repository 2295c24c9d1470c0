/** What stands where a file is to go, and what has to go for it. Pure. */
import type { ByteName } from '../byte-name.ts';
import { above } from './names.ts';
import type { Hashes, SyncPlan } from './plan.ts';

/** What a side has besides files that can be synced. */
export interface Layout {
  readonly directories: ReadonlySet<ByteName>;
  /** Links, devices, and files whose names cannot be compared. */
  readonly others: ReadonlySet<ByteName>;
}

export interface Target extends Layout {
  readonly files: Hashes;
}

export interface Clearing {
  /** A link in the place of the file itself goes. */
  readonly overwrite: boolean;
  /** Whether anything is removed at the target. */
  readonly removes: boolean;
}

/** Paths to send whose target is taken by something that stays. */
export function blockedBy(
  target: Target,
  plan: Pick<SyncPlan, 'send' | 'remove'>,
  { overwrite, removes }: Clearing,
): ReadonlySet<ByteName> {
  const removed = new Set(removes ? plan.remove : []);
  const stays = (path: ByteName): boolean => target.others.has(path) || (target.files.has(path) && !removed.has(path));
  const left = [...target.files.keys()].filter((path) => !removed.has(path));
  const filled = new Set([...left, ...target.others].flatMap(above));
  const isBlocked = (path: ByteName): boolean =>
    (target.others.has(path) && !overwrite) ||
    (target.directories.has(path) && (filled.has(path) || !removes)) ||
    above(path).some(stays);
  return new Set(plan.send.filter(isBlocked));
}

/** Directories of the target that are empty then, the deepest first: those that the source lacks, and those in the place of a file. */
export function directoriesToGo(
  target: Target,
  source: ReadonlySet<ByteName>,
  plan: Pick<SyncPlan, 'send' | 'remove'>,
): readonly ByteName[] {
  const sent = new Set(plan.send);
  const emptied = new Set(plan.remove.flatMap(above).filter((path) => !source.has(path)));
  const inPlace = [...target.directories].filter((path) => [...above(path), path].some((each) => sent.has(each)));
  return [...new Set([...emptied, ...inPlace])].toSorted((a, b) => b.split('/').length - a.split('/').length);
}
