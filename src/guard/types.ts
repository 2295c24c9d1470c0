/** Shapes of the guard that travel. No code, so that front ends may import them. */
import type { Finding, Mode, Reach, RuleTexts, Tier } from '../policy/types.ts';
import type { Choice } from '../values/choice.ts';

/** The part of a question that every front end shows: terminal, page, editor and the host of a model. */
export interface Asked {
  /** Who asks: `DANGEROUS COMMAND`, `ASKED BY RULE terminal(git push:*)`, `ASKED BY MODE supervised`. */
  readonly title: string;
  /** The command for people: no control characters, nothing that reorders, its middle left out when it is long. */
  readonly display: string;
  /** It reads input that is not judged. */
  readonly stdin: boolean;
  /** All of that input, shown like a diff: bounded, secrets taken out. `null`: it comes later, as on a terminal, or the command reads nothing. */
  readonly input: string | null;
  /** The directory in which it would start: absolute, in the sandbox; `null` when it is not known. */
  readonly cwd: string | null;
  /** User of the sandbox that would run it. Absent: the one that runs all its commands. */
  readonly user?: string;
  /** Names of variables that the request sets. Values may be secrets. */
  readonly variables: readonly string[];
  /** Name of the backend. */
  readonly backend: string;
  /** The permission rule that asks, or that could not be held otherwise; `null`: no rule asks. */
  readonly rule: string | null;
}

/** A command that waits for an answer. */
export interface Question extends Asked {
  /** `apr_` and 24 hexadecimal digits. */
  readonly id: string;
  /** Task of the call. */
  readonly taskId: string;
  /** What the command can reach. */
  readonly reach: Reach;
  /** The exact text, or the words of an argument vector. Of a third party: to be shown as `display` only. */
  readonly command: string | readonly string[];
  /** What is remarkable about the text itself. */
  readonly warnings: readonly string[];
  /** What a write changes in its file, for people as `display` is: bounded, secrets taken out; `null`: it is no such write. */
  readonly diff: string | null;
  /** Kind of rule that asks. */
  readonly tier: Tier;
  /** Findings that made it a question. */
  readonly findings: readonly Finding[];
  /** Answers that are possible here. `deny` always is. */
  readonly choices: readonly Choice[];
  /** What `session` would cover: kinds of danger, or exactly this command. */
  readonly covers: readonly string[];
  /** What `always` would save; empty when it is not offered. */
  readonly proposal: readonly string[];
  /** Milliseconds since the epoch. After it the command is refused. */
  readonly expiresAt: number;
}

/**
 * An answer: a choice, or the words that a person typed (`o`, `yes`, `deny`, in any case). Anything but a choice of the
 * question, and every failure, counts as `deny`. The signal fires when no caller waits for the answer any more; how the
 * question has ended then is in `settled`.
 */
export type Approver = (
  question: Question,
  options: { readonly signal: AbortSignal; readonly settled: Promise<Settled> },
) => Promise<string>;

/** How a question has ended. */
export interface Settled {
  /** A choice, `timed-out` or `canceled`. */
  readonly outcome: string;
  /** Who answered it from elsewhere, for people; `null` when that is not how it ended. */
  readonly elsewhere: string | null;
}

/** A command that waits for an answer, or has one. */
export interface ApprovalView extends Asked {
  /** Id of the question. */
  readonly id: string;
  /** Task of the call. */
  readonly taskId: string;
  /** `used`: it was approved, and the command has gone on. */
  readonly state: 'pending' | 'approved' | 'denied' | 'used';
  /** Id of the token whose command it is; `null`: a terminal or a program of the operator. */
  readonly askedBy: string | null;
  /** RFC 3339. */
  readonly askedAt: string;
  /** After it the answer is no; `null`: not known. RFC 3339. */
  readonly expiresAt: string | null;
  /** Sentences about what the person cannot see in the question. */
  readonly warnings: readonly string[];
  /** The change that a write makes to its file, shown like `display`; `null`: not a write, or the caller is the token that asked. */
  readonly diff: string | null;
  /** Findings, a sentence each. */
  readonly findings: readonly string[];
  /** Answers that are offered. */
  readonly choices: readonly string[];
  /** What was answered, and who did, for people; `null` before an answer. */
  readonly choice: string | null;
  /** Name of who answered. `null`: no answer yet. */
  readonly answeredBy: string | null;
  /** What `session` would cover. */
  readonly covers: readonly string[];
  /** Rules that `always` would save. */
  readonly proposal: readonly string[];
}

/** An answer that holds for a task. */
export interface GrantView {
  /** Id of the grant, for its removal. */
  readonly id: string;
  /** Task for which it holds. */
  readonly taskId: string;
  /** Keys of the rules and commands that it covers. */
  readonly covers: readonly string[];
  /** For people. */
  readonly grantedBy: string;
  /** RFC 3339. */
  readonly grantedAt: string;
  /** RFC 3339; `null`: it ends with its sandbox only. */
  readonly expiresAt: string | null;
}

/** What a program that opens Caisson says about questions and rules. */
export interface GuardInput {
  /**
   * Who answers when a command is asked for. `queue`: other processes and front ends, by `policy.approvals`. Absent:
   * no approver, so that it is refused at once.
   */
  readonly approver?: Approver | 'queue';
  /** YOLO: what is known to be dangerous is not asked about. What is always refused, and rules, stay. */
  readonly yolo?: boolean;
  /** Rules of the command line, beside those of the configuration. */
  readonly rules?: RuleTexts;
  /** Instead of `approvals.tool_mode`. */
  readonly mode?: Mode;
}

export interface AnswerAll {
  /** Task whose open questions are answered. */
  readonly taskId: string;
  /** Answer to all of them. */
  readonly choice: Exclude<Choice, 'always'>;
}

export interface AnsweredAll {
  /** Ids of questions, first asked first. */
  readonly answered: readonly string[];
  /**
   *   own-token     the token that answers has asked it
   *   not-offered   it does not offer this answer
   *   late          it was answered or given up meanwhile
   */
  readonly left: readonly { readonly id: string; readonly why: 'own-token' | 'not-offered' | 'late' }[];
}
