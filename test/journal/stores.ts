/** The store that belongs to a journal of a test. */
import { dirname, join } from 'node:path';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { Records } from '../../src/store/records.ts';

export const bounds = { spillBytes: 1e9, storeBytes: 1e9, retentionMs: 1e9 };

export const storeOf = (directory: string): string => join(dirname(directory), 'state', 'caisson.db');

/** For programs, which end with their process. */
export async function recordsOf(directory: string): Promise<Records> {
  return (await openStore(storeOf(directory))).store.records;
}
