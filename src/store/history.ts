/** What was done in sandboxes and how it ended, one row an act, kept for questions by time, task, owner and end. Part of the contract of the store. */

export type ActKind = 'exec' | 'session' | 'process' | 'copy';
/** `denied`: it did not start, since a rule or a person refused it. `lost`: its end is not known. */
export type Fault = 'failed' | 'denied' | 'lost';
export type Outcome = 'running' | 'done' | Fault;

export interface ActEnd {
  readonly outcome: Exclude<Outcome, 'running'>;
  /** Reason of the exit, `not_started`, or why it was denied. */
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number | null;
  /** Bytes of both streams, or of the files of a copy. */
  readonly bytes: number | null;
  /** Rule that denied it. */
  readonly rule: string | null;
}

export interface Act {
  /** Id of the exec. `null`: a copy, which has none. */
  readonly id: string | null;
  readonly kind: ActKind;
  readonly owner: string;
  /** Token that asked for it. `null`: the program that opened Caisson. */
  readonly token: string | null;
  readonly taskId: string;
  /** `null`: it was denied before it had one. */
  readonly sandboxId: string | null;
  readonly backend: string | null;
  /** Without secrets, and cut to some hundred characters. */
  readonly command: readonly string[];
  /** Milliseconds since the epoch, by the clock of the writer. */
  readonly startedAt: number;
}

export interface HistoryRow extends Act, Omit<ActEnd, 'outcome'> {
  /** Grows with each row. */
  readonly seq: number;
  readonly outcome: Outcome;
}

export interface HistoryFilter {
  /** A task id or a sandbox id. */
  readonly task?: string | undefined;
  readonly owner?: string | undefined;
  readonly sandboxes?: readonly string[] | undefined;
  /** Absent: all ends, and what runs. */
  readonly faults?: readonly Fault[] | undefined;
  /** Milliseconds since the epoch: from this moment on, and before that one. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Only what follows this row in the list. */
  readonly after?: { readonly at: number; readonly seq: number } | null | undefined;
  readonly limit: number;
}

export interface History {
  /** Within some milliseconds and together with other rows, as `ended`. Never throws. */
  begun(act: Act): void;
  /** Does nothing to an act that has ended. */
  ended(id: string, end: ActEnd): void;
  /** An act that has both. */
  add(act: Act, end: ActEnd): void;
  /** The newest first. */
  list(filter: HistoryFilter): Promise<readonly HistoryRow[]>;
  /** How many began since a moment and ended so, in all tasks; counts up to 10,000. */
  count(fault: Fault, sinceMs: number): Promise<number>;
  /** Forgets what began before a moment, and the oldest beyond a number. Answers how many. */
  expire(beforeMs: number): Promise<number>;
}
