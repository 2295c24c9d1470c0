/**
 * Long files take turns, so that `npm test` ends in time also on a slow machine: a run has one part of them, by its seed, which CI
 * changes by the week. Whatever is named here, or short, is in every run. `node scripts/load.ts whole` has all files.
 */
import { durationOf } from './durations.ts';

const longMs = 20_000;
const parts = 3;

/** The suites of the contract, the newest backend, and what keeps sandboxes and secrets apart. */
const always =
  /^test\/conformance\/|kubernetes|egress-escapes|secrets|credentials|hardening|owners|first-contact|readme/;

/** `seed`: absent where files were asked for by name, so that all are run. */
export function inTurn(files: readonly string[], seed: number | undefined): string[] {
  if (seed === undefined) return [...files];
  const long = files.filter((path) => !always.test(path) && (durationOf(path) ?? 0) >= longMs);
  const others = new Set(long.filter((_, index) => index % parts !== seed % parts));
  return files.filter((path) => !others.has(path));
}
