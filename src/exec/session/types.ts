/** What the users of sessions give and see. Front ends see these through `caisson.ts`. */
export interface SessionInput {
  /** Task in whose sandbox the session lives. */
  readonly taskId: string;
  /** Grammar of task ids. */
  readonly name: string;
  /** Shell text: bash where the sandbox has it, else sh. A program and its arguments are quoted for the shell. */
  readonly text: string | readonly string[];
  /** Id of the exec of this text. Absent: a random one. */
  readonly execId?: string;
  /** For this text only. A variable that the session had gets its value back. */
  readonly env?: Readonly<Record<string, string>>;
  /** Deadline of this text. `null`: none. Absent: `terminal.timeout`. */
  readonly timeoutMs?: number | null;
}

/** How a session came to a text. */
export interface SessionStart {
  /** This call opened a new shell and took up the state of an earlier one. */
  readonly restored: boolean;
  /** What of that state could not be kept: sh cannot list functions, and no shell takes limits of `ulimit` up again. */
  readonly lost: readonly string[];
}

/** What a text left of its session. */
export interface SessionEnd {
  /** The shell is gone: the text ended it, or it had to be ended with the text. The next call opens another one. */
  readonly sessionEnded: boolean;
  /** Exit status of the shell. `null`: it lives, or its end was not seen. */
  readonly endStatus: number | null;
}

export interface SessionView {
  /** Name of the session within its task. */
  readonly name: string;
  /** Whether this process holds its shell. */
  readonly open: boolean;
  /** Kind of shell. `null`: not known before the first text. */
  readonly shell: 'bash' | 'sh' | null;
  /** Whether the shell took up the state of an earlier one. */
  readonly restored: boolean;
  /** See `SessionStart.lost`. */
  readonly lost: readonly string[];
}
