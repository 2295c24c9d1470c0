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
  { count, follow: goesOn, owner, signal }: Parameters<Audit['tail']>[0],
): AsyncGenerator<AuditRecord, void, void> {
  let last = lastRecords(directory, undefined, (found) => found.length > 0).at(-1)?.seq ?? 0;
  const through = last;
  const records = lastRecords(directory, owner, (found) => found.length >= Math.max(count, 1)).filter(
    ({ seq }) => seq <= through,
  );
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
    const fresh = lastRecords(directory, undefined, (found) => found[0] !== undefined && found[0].seq <= known).filter(
      ({ seq }) => seq > known,
    );
    last = fresh.at(-1)?.seq ?? last;
    yield* fresh.filter((record) => isOf(record, owner));
  }
}

function stateOf(directory: string): string {
  const found = statSync(join(directory, currentName), { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.ino} ${found.size}`;
}

const isOf = (record: AuditRecord, owner: string | undefined): boolean =>
  owner === undefined || record['owner'] === owner;

/** Whole files, newest first, until it is enough. Of each file only what is wanted is held. */
function lastRecords(
  directory: string,
  owner: string | undefined,
  enough: (found: readonly AuditRecord[]) => boolean,
): readonly AuditRecord[] {
  let found: readonly AuditRecord[] = [];
  for (const name of namesIn(directory).toReversed()) {
    found = [...recordsOf(join(directory, name)).filter((record) => isOf(record, owner)), ...found];
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
