/** What two runs tell when they stand side by side: steps and files by their times, and cases that one of them lacks. */
import type { CaseTime } from '../../test/reporters/times.ts';
import type { RunRecord } from './record.ts';

/** A line for each step that both runs have, and for each of the slowest files: before, after, ratio. */
export function compareTimes(before: RunRecord, after: RunRecord): readonly string[] {
  return [
    line('whole run', before.durationMs, after.durationMs),
    ...pairs(byName(before.steps), byName(after.steps)),
    ...pairs(byFile(before.files), byFile(after.files)),
  ];
}

type Times = ReadonlyMap<string, number>;

const byName = (list: RunRecord['steps']): Times => new Map(list.map((each) => [each.name, each.durationMs]));
const byFile = (list: RunRecord['files']): Times => new Map(list.map((each) => [each.file, each.durationMs]));

function pairs(before: Times, after: Times): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].map((name) => line(name, before.get(name), after.get(name)));
}

function line(name: string, before: number | undefined, after: number | undefined): string {
  const seconds = (ms: number | undefined): string => (ms === undefined ? '-' : (ms / 1000).toFixed(1)).padStart(8);
  const ratio = before === undefined || after === undefined ? '' : (after / before).toFixed(2);
  return `${seconds(before)} ${seconds(after)}  ${ratio.padStart(5)}  ${name}`;
}

/** What differs from run to run or place to place: backends, paths and keys of a checkout, counts. */
const varying = /'?\b(?:docker|local|ssh|singularity|modal|daytona)\b'?|(?:\/[\w.-]+){3,}|[\w+/=]{40,}|\d+/g;

/**
 * The cases of `before` that `after` does not have, by their titles. A file may move, and a suite may be split by backend: a case
 * is the same wherever it stands, whichever backend and whatever count its titles name, but as many must be left as there were.
 */
export function missingCases(before: readonly CaseTime[], after: readonly CaseTime[]): readonly string[] {
  const left = new Map<string, number>();
  for (const name of after.map(keyOf)) left.set(name, (left.get(name) ?? 0) + 1);
  const exact = new Set(after.map(({ name }) => name));
  // Those that are there by their very titles are found first, so that the ones that are not are named.
  const sorted = before.toSorted((a, b) => Number(exact.has(b.name)) - Number(exact.has(a.name)));
  return sorted.flatMap((each) => {
    const count = left.get(keyOf(each)) ?? 0;
    left.set(keyOf(each), count - 1);
    return count > 0 ? [] : [each.name];
  });
}

const keyOf = ({ name }: CaseTime): string => name.replaceAll(varying, '*');
