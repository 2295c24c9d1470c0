/**
 * `node scripts/times.ts BEFORE AFTER`: two records of runs, side by side. `--cases`: the files are lists of all cases instead, and
 * the cases that the second lacks are printed. `--keep`: writes `test/durations.json` from the last `npm test` and `npm run check`.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { durations } from '../test/durations.ts';
import { compareTimes, missingCases } from './times/compare.ts';
import { readRecord, readTimes } from './times/read.ts';
import { timesPath } from './times/record.ts';

/** A file that takes less makes no tail wherever it begins. */
const worthKeepingMs = 1_000;

const kept = new URL('../test/durations.json', import.meta.url);

function keep(): void {
  const files = (['check', 'test'] as const)
    .map(timesPath)
    .filter((path) => existsSync(path))
    .flatMap((path) => readTimes(path).files);
  const long = files.filter(({ durationMs }) => durationMs >= worthKeepingMs);
  // Files of one title count as the longest of them; the shortest are set first.
  const ascending = long.toSorted((a, b) => a.durationMs - b.durationMs);
  const taken = ascending.map(({ title, durationMs }) => [title, Math.round(durationMs / 100) * 100] as const);
  // A run lacks the long files whose turn it was not.
  const entries = new Map([...durations, ...taken]);
  const sorted = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(kept, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  console.log(`test/durations.json has ${sorted.length} files`);
}

function compare([before, after]: readonly string[], ofCases: boolean): void {
  if (before === undefined || after === undefined)
    throw new Error('usage: node scripts/times.ts [--cases] BEFORE AFTER');
  if (ofCases) return compareCases(before, after);
  console.log(compareTimes(readRecord(before), readRecord(after)).join('\n'));
}

function compareCases(before: string, after: string): void {
  const missing = missingCases(readTimes(before).cases, readTimes(after).cases);
  for (const name of missing) console.log(name);
  console.log(`${missing.length} cases are missing`);
  process.exitCode = missing.length === 0 ? 0 : 1;
}

const { values, positionals } = parseArgs({
  options: { cases: { type: 'boolean', default: false }, keep: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (values.keep) keep();
else compare(positionals, values.cases);
