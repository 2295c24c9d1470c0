import type { Exit } from '../values/exit.ts';
import { exitWithout } from '../values/outcome.ts';
import type { Entry } from './segment.ts';

/** The exit of an exec whose service died before its end was known. */
export function lostExit(entry: Entry, seen: { readonly stdout: number; readonly stderr: number }): Exit {
  const exit = exitWithout('lost', 'its end cannot be known: the process of Caisson that ran it is gone', {
    stdout: { bytes: seen.stdout, truncated: true, complete: null },
    stderr: { bytes: seen.stderr, truncated: true, complete: null },
  });
  return { ...exit, durationMs: Math.max(0, entry.lastAt - entry.startedAt) };
}
