/** Opens the store of a state directory. Callers know the contract alone: which implementation there is, is decided here. */
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { Notice } from './sqlite/notice.ts';
import { openStore as openSqlite } from './sqlite/open.ts';
import type { Store } from './store.ts';

export interface OpenedStore {
  readonly store: Store;
  /** What the operator should know about the state directory. */
  readonly notices: readonly Notice[];
}

/** Throws `failed_precondition` for a store of a newer release, `resource_exhausted` on a full disk. */
export async function openStore(home: string, clock: Clock): Promise<OpenedStore> {
  return await openSqlite(storeFile(home), { clock });
}

/** The file that stands for the store: when it is gone or another, so is the state. */
export const storeFile = (home: string): string => join(home, 'caisson.db');
