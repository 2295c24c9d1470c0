import type { CaissonError } from '../../errors.ts';
import type { Survivor } from '../../values/exit.ts';

export interface KillReport {
  /** Processes that are alive after SIGKILL. `null`: no script could look. */
  readonly survivors: readonly Survivor[] | null;
  /** Whether the sandbox was searched after the last signal (see `script.ts` for whom the search finds). */
  readonly verified: boolean;
  /** What people should know beyond that. */
  readonly note: string | null;
}

export function unverified(failures: readonly CaissonError[]): KillReport {
  const why = failures[0]?.message.slice(0, 200) ?? 'unknown';
  return {
    survivors: null,
    verified: false,
    note: `it is not known whether the process tree is gone: no script could run in the sandbox (${why})`,
  };
}
