/**
 * The record of a run: how long each step took, and its twenty slowest files and cases. It lies where tools keep what may be
 * deleted; beside it stands the list of all cases, which tells whether a later run has lost one.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CaseTime, FileTime, RunTimes } from '../../test/reporters/times.ts';
import type { Outcome } from '../steps.ts';

export interface RunRecord {
  readonly commit: string;
  readonly processors: readonly string[];
  readonly startedAt: string;
  readonly durationMs: number;
  readonly steps: readonly StepTime[];
  readonly files: readonly Pick<FileTime, 'file' | 'durationMs'>[];
  readonly cases: readonly Pick<CaseTime, 'file' | 'name' | 'durationMs'>[];
}

export interface StepTime {
  readonly name: string;
  readonly durationMs: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const slowest = 20;
const directory = fileURLToPath(new URL('../../node_modules/.cache/caisson', import.meta.url));

/** Path of the record of `npm test` or `npm run check`, which lists its cases. */
export const recordPath = (run: 'test' | 'check'): string => join(directory, `${run}.json`);
export const timesPath = (run: 'test' | 'check'): string => join(directory, `${run}-times.json`);

export function recordOf(outcomes: readonly Outcome[], { files, cases }: RunTimes, startedAt: Date): RunRecord {
  return {
    commit: commit(),
    processors: cpus().map(({ model }) => model),
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    steps: outcomes.map(({ name, durationMs, tally }) => ({ name, durationMs: Math.round(durationMs), ...tally })),
    files: longest(files).map(({ file, durationMs }) => ({ file, durationMs })),
    cases: longest(cases).map(({ file, name, durationMs }) => ({ file, name, durationMs })),
  };
}

export function writeRecord(run: 'test' | 'check', record: RunRecord, times: RunTimes): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(recordPath(run), `${JSON.stringify(record, null, 1)}\n`);
  writeFileSync(timesPath(run), JSON.stringify(times));
}

function longest<T extends { readonly durationMs: number }>(list: readonly T[]): readonly T[] {
  return list.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowest);
}

/** An unpacked archive has none. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
