/**
 * What a test counted or measured: a line for people, and figures in `meta.counts` of the case, which `scripts/load.ts` prints
 * as JSON.
 */
import { TestRunner } from 'vitest';

export type Counts = Readonly<Record<string, string | number>>;

declare module 'vitest' {
  interface TaskMeta {
    counts?: Counts[];
  }
}

export function report(counts: Counts): void {
  console.log(
    Object.entries(counts)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  );
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) (test.meta.counts ??= []).push(counts);
}
