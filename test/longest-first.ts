/**
 * Starts the longest files first, over all projects of a run, so that no core waits at the end for a file that began late.
 * `durations.json` has what an earlier run took; a file without an entry counts as short, and the larger one goes first.
 */
import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { durationOf } from './durations.ts';

export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const weights = new Map(specifications.map((each) => [each, weigh(each.moduleId)]));
    return await Promise.resolve(specifications.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0) || 0));
  }
}

/** Milliseconds, and below one the size of the file. */
function weigh(path: string): number {
  return durationOf(path) ?? 1 - 1 / (1 + statSync(path).size);
}
