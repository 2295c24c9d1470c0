/** What an earlier run took for each file: `durations.json`, by title, which `node scripts/times.ts --keep` writes. */
import { readFileSync } from 'node:fs';
import { titleOf } from './titles.ts';

/** Milliseconds by title. */
export const durations: ReadonlyMap<string, number> = new Map(
  Object.entries(JSON.parse(readFileSync(new URL('durations.json', import.meta.url), 'utf8'))),
);

/** Milliseconds; absent for a file that is short, or new. */
export function durationOf(path: string): number | undefined {
  return durations.get(titleOf(path, readFileSync(path, 'utf8')));
}
