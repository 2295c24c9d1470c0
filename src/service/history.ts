/** The history: what was done in sandboxes and how it ended. */
import type { ActKind, Fault, Outcome } from '../store/history.ts';
import type { Options, Page, PageInput } from './types.ts';

export interface HistoryFilter extends PageInput {
  /** A task id or a sandbox id. */
  readonly task?: string;
  /** Absent: of all that the caller sees. */
  readonly owner?: string;
  /** RFC 3339. Only what began from this moment on. */
  readonly since?: string;
  /** RFC 3339. Only what began before this moment. */
  readonly until?: string;
  /** Only what ended so. */
  readonly outcomes?: readonly Fault[];
  /** Only in these sandboxes. */
  readonly sandboxes?: readonly string[];
}

/** One act: a command, a text of a session, a detached process or a copy. */
export interface HistoryEntry {
  /** Kind of act. */
  readonly kind: ActKind;
  /** Id of the exec. `null`: a copy. */
  readonly execId: string | null;
  /** Task in which it was done. */
  readonly taskId: string;
  /** `null`: it was refused before it had a sandbox. */
  readonly sandboxId: string | null;
  /** Backend of the sandbox. `null`: not known. */
  readonly backend: string | null;
  /** Owner of the task. */
  readonly owner: string;
  /** Token that asked for it. `null`: the command line or a program that opened Caisson. */
  readonly token: string | null;
  /** Its first words, without secrets. */
  readonly command: readonly string[];
  /** RFC 3339, UTC. */
  readonly startedAt: string;
  /** `denied`: it did not start. `lost`: its end is not known. `failed`: any end but an exit code of 0. */
  readonly outcome: Outcome;
  /** Reason of the exit, or why it was denied. `null`: it runs, or is a copy. */
  readonly reason: string | null;
  /** Rule that denied it. `null`: none did, or it has no name. */
  readonly rule: string | null;
  /** `null`: it runs, or has none. */
  readonly exitCode: number | null;
  /** `null`: no signal ended it. */
  readonly signal: string | null;
  /** `null`: it runs, or was not measured. */
  readonly durationMs: number | null;
  /** Bytes of its output, or of the files of a copy. `null`: not counted. */
  readonly bytes: number | null;
}

export interface HistoryApi {
  /** Acts in all processes of the state directory, newest first; kept as long as records of commands are (`exec.retention_seconds`). */
  list(filter?: HistoryFilter, options?: Options): Promise<Page<HistoryEntry>>;
}
