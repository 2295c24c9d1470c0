/** The last records, and those to come. Lines that hold no record are passed over here: `verify` reports them. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentName, newestSeq } from './files.ts';
import { isWanted as fits, spanOf } from './filter.ts';
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
  const { directory } = place;
  // Before anything is waited for: what comes from now on is to come.
  const last = newestSeq(directory);
  const { first, kept } = await lastOf(place, last, how);
  if (kept === null) yield* again(place, { first, last }, how);
  else yield* kept;
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

const isWanted = async (record: AuditRecord, how: How): Promise<boolean> =>
  fits(record, how, spanOf(how)) && (how.only === undefined || (await how.only(record)));

interface LastRecords {
  /** Number of the first of them. */
  readonly first: number;
  /** `null`: too many to be held. */
  readonly kept: readonly AuditRecord[] | null;
}

/** Characters of records that are held; more of them are read again, from the first on. */
const maxKept = 2 * 1024 * 1024;

/** The last `count` records that are wanted. */
async function lastOf({ directory, lines }: TailSource, last: number, how: How): Promise<LastRecords> {
  let [first, found, units] = [Infinity, 0, 0];
  const kept: AuditRecord[] = [];
  if (how.count === 0) return { first, kept };
  for await (const record of newestFirst(directory, lines)) {
    if (record.seq > last || !(await isWanted(record, how))) continue;
    first = record.seq;
    found += 1;
    units += units > maxKept ? 0 : JSON.stringify(record).length;
    if (units <= maxKept) kept.push(record);
    if (found >= how.count) break;
  }
  return { first, kept: units > maxKept ? null : kept.toReversed() };
}

async function* again(
  { directory, lines }: TailSource,
  { first, last }: { readonly first: number; readonly last: number },
  how: How,
): AsyncGenerator<AuditRecord, void, void> {
  for await (const record of new Reader(directory, first - 1, lines).records()) {
    if (record.seq > last) break;
    if (await isWanted(record, how)) yield record;
  }
}
