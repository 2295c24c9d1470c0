/** The last records, and those to come. Lines that hold no record are passed over here: `verify` reports them. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentName, newestSeq } from './files.ts';
import type { Lines } from './read.ts';
import { newestFirst, Reader } from './reader.ts';
import type { Audit, AuditRecord } from './types.ts';

interface TailSource {
  readonly directory: string;
  /** The lines that may be wanted. */
  readonly lines: Lines;
}

type How = Parameters<Audit['tail']>[0];

const lookMs = 200;

export async function* follow(place: TailSource, how: How): AsyncGenerator<AuditRecord, void, void> {
  const { directory, lines } = place;
  // Before anything is waited for: what comes from now on is to come.
  const last = newestSeq(directory);
  const first = await firstOf(place, last, how);
  const earlier = new Reader(directory, first - 1, lines);
  for await (const record of first > last ? [] : earlier.records()) {
    if (record.seq > last) break;
    if (await isWanted(record, how)) yield record;
  }
  yield* how.follow ? toCome(place, last, how) : [];
}

async function* toCome(
  { directory, lines }: TailSource,
  last: number,
  how: How,
): AsyncGenerator<AuditRecord, void, void> {
  const reader = new Reader(directory, last, lines);
  const { signal } = how;
  let seen = '';
  const goOn = (): boolean => signal?.aborted !== true;
  while (goOn()) {
    const state = stateOf(directory);
    if (state === seen) {
      await sleep(lookMs, undefined, { signal }).catch(() => undefined); // the signal ends the loop
      continue;
    }
    seen = state;
    for await (const record of reader.records()) if (await isWanted(record, how)) yield record;
  }
}

function stateOf(directory: string): string {
  const found = statSync(join(directory, currentName), { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.ino} ${found.size}`;
}

const isWanted = async (record: AuditRecord, { owner, only }: How): Promise<boolean> =>
  (owner === undefined || record['owner'] === owner) && (only === undefined || (await only(record)));

/**
 * The number of the first of the last `count` records that are wanted; Infinity where there is none. They are read again from
 * there on, since so many would fill the memory.
 */
async function firstOf({ directory, lines }: TailSource, last: number, how: How): Promise<number> {
  let [first, found] = [Infinity, 0];
  if (how.count === 0) return first;
  for await (const record of newestFirst(directory, lines)) {
    if (record.seq > last || !(await isWanted(record, how))) continue;
    first = record.seq;
    found += 1;
    if (found >= how.count) break;
  }
  return first;
}
