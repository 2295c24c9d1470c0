import type { End } from '../../values/exit.ts';

export interface DetachedProcess extends Omit<End, 'reason'> {
  /** Id of the exec: `exec_` and 1 to 64 of [A-Za-z0-9_-]. */
  readonly id: string;
  /** The command's own process in its sandbox. `null`: not known. */
  readonly pid: number | null;
  /** Program and arguments, without secrets. */
  readonly command: readonly string[];
  /** `lost`: it is gone, and its end was not seen. It is never run again. */
  readonly state: 'running' | 'exited' | 'lost';
  /** RFC 3339. */
  readonly startedAt: string | null;
  /** RFC 3339, UTC. `null`: it runs, or its end is not known. */
  readonly endedAt: string | null;
  /** Duration of the command itself, to a hundredth of a second. `null`: it runs, or it was not measured. */
  readonly durationMs: number | null;
  /** `null`: it runs. */
  readonly reason: End['reason'] | null;
  /** False when what would record its end has been killed: it runs on, and will be `lost` when it ends. */
  readonly supervised: boolean;
  /** Whether a stream wrote more than is kept. */
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  /** Somebody still held a stream when the command had ended; what he writes is kept. */
  readonly backgroundOpen: boolean;
  /** Whether it was started with input that has not been ended yet. */
  readonly inputOpen: boolean;
}
