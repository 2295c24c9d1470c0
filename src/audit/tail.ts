/** The last records, and those to come. What is no record is passed over here: `verify` tells of it. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentName, fileNames } from './files.ts';
import { decode } from './line.ts';
import type { Audit, AuditRecord } from './types.ts';

const lookMs = 200;

export async function* follow(
  directory: string,
  { count, follow: goesOn, owner, only, signal }: Parameters<Audit['tail']>[0],
): AsyncGenerator<AuditRecord, void, void> {
  const wanted = async (record: AuditRecord): Promise<boolean> =>
    (owner === undefined || record['owner'] === owner) && (only === undefined || (await only(record)));
  let last = (await lastRecords(directory, all, (found) => found.length > 0)).at(-1)?.seq ?? 0;
  const through = last;
  const newest = await lastRecords(directory, wanted, (found) => found.length >= Math.max(count, 1));
  const records = newest.filter(({ seq }) => seq <= through);
  yield* count === 0 ? [] : records.slice(-count);
  let seen = '';
  const goOn = (): boolean => goesOn && signal?.aborted !== true;
  while (goOn()) {
    const state = stateOf(directory);
    if (state === seen) {
      await sleep(lookMs, undefined, { signal }).catch(() => undefined); // the signal ends the loop
      continue;
    }
    seen = state;
    const known = last;
    const found = await lastRecords(directory, all, ([oldest]) => oldest !== undefined && oldest.seq <= known);
    const fresh = found.filter(({ seq }) => seq > known);
    last = fresh.at(-1)?.seq ?? last;
    for (const record of fresh) if (await wanted(record)) yield record;
  }
}

function stateOf(directory: string): string {
  const found = statSync(join(directory, currentName), { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.ino} ${found.size}`;
}

type Wanted = (record: AuditRecord) => Promise<boolean>;

const all: Wanted = async () => await Promise.resolve(true);

/** Whole files, newest first, until it is enough. Of each file only what is wanted is held. */
async function lastRecords(
  directory: string,
  wanted: Wanted,
  enough: (found: readonly AuditRecord[]) => boolean,
): Promise<readonly AuditRecord[]> {
  let found: readonly AuditRecord[] = [];
  for (const name of namesIn(directory).toReversed()) {
    const mine: AuditRecord[] = [];
    for (const record of recordsOf(join(directory, name))) if (await wanted(record)) mine.push(record);
    found = [...mine, ...found];
    if (enough(found)) break;
  }
  return found;
}

function namesIn(directory: string): readonly string[] {
  return statSync(directory, { throwIfNoEntry: false }) === undefined ? [] : fileNames(directory);
}

function recordsOf(path: string): readonly AuditRecord[] {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return []; // renamed or removed just now
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => decode(line) ?? []);
}
