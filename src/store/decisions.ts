/** Rows about decisions and about who may make them: questions, answers that hold, tokens, rules. Part of the contract of the store. */
import type { Bounds, Caller } from '../values/caller.ts';
import type { Page } from './pages.ts';

/**
 *   (none) --> pending --> approved --> used
 *                 \----> denied
 *
 * `pending` counts only while a live holder has the lease of the question: who asked it and died is not waiting.
 */
type ApprovalState = 'pending' | 'approved' | 'denied' | 'used';

export interface ApprovalRow {
  /** `apr_` and 24 hexadecimal digits. */
  readonly id: string;
  /** Hash of everything that the answer is about. */
  readonly binding: string;
  readonly taskId: string;
  /** The question as it is shown, as plain JSON. */
  readonly question: Readonly<Record<string, unknown>>;
  readonly state: ApprovalState;
  readonly choice: string | null;
  /** Who answered, for people; `null` before an answer. */
  readonly answeredBy: string | null;
  /** The token whose command it is; `null`: the program that opened Caisson. */
  readonly askedBy: Caller | null;
  /** Milliseconds since the epoch, by the clock of the writer. */
  readonly createdAt: number;
}

export interface ApprovalAnswer {
  readonly state: 'approved' | 'denied';
  readonly choice: string;
  readonly by: string;
}

/** An answer that holds for a task, until its sandbox is removed, its time ends, or it is revoked. */
export interface GrantRow {
  /** `grt_` and 24 hexadecimal digits. */
  readonly id: string;
  readonly taskId: string;
  /** Version of the rules by which it was asked for: under others it does not hold. */
  readonly rules: string;
  /** What it answers, as `sessionKey` has it. */
  readonly keys: readonly string[];
  /** What it answers, in words for people. */
  readonly covers: readonly string[];
  readonly grantedBy: string;
  /** Milliseconds since the epoch, by `steadyNow`. */
  readonly createdAt: number;
  /** `null`: no end of its own. */
  readonly expiresAt: number | null;
}

/** A token of the service, without the token itself. */
export interface TokenRow {
  /** `tok_` and 16 characters of [a-z0-9]. */
  readonly id: string;
  /** SHA-256 of the token, hexadecimal. */
  readonly digest: string;
  readonly owner: string;
  /** For people. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** `null`: bound to nothing but its owner. */
  readonly bounds: Bounds | null;
  /** Milliseconds since the epoch, by `steadyNow`. */
  readonly createdAt: number;
  /** `null`: no end of its own. */
  readonly expiresAt: number | null;
  readonly limits: { readonly execs: number | null; readonly requestsPerMinute: number | null };
}

/** A rule that an answer "always" through a token made: it belongs to the owner of the token. */
export interface SavedRule {
  readonly owner: string;
  readonly rule: string;
  /** Who answered, for people. */
  readonly savedBy: string;
  /** Milliseconds since the epoch, by the clock of the writer. */
  readonly savedAt: number;
}

export interface Approvals {
  /** Forgets those that are older than a week. */
  insert(row: ApprovalRow): Promise<void>;
  /** False when it is not pending any more: the first answer counts. */
  answer(id: string, answer: ApprovalAnswer): Promise<boolean>;
  /** Uses an approval up. True once, and only for the same binding. */
  use(id: string, binding: string): Promise<boolean>;
  find(id: string): Promise<ApprovalRow | null>;
  /** Questions that wait, of all tasks or of one, in the order in which they were put. */
  pending(query: Page & { readonly taskId?: string }): Promise<readonly ApprovalRow[]>;
  /** Questions that were answered with yes and are still kept. The oldest first. */
  answered(page: Page): Promise<readonly ApprovalRow[]>;
}

export interface Grants {
  /** Forgets those whose time has ended. */
  insert(row: GrantRow): Promise<void>;
  /** `null` also for one whose time has ended. */
  find(id: string): Promise<GrantRow | null>;
  /** Those that still hold, of all tasks or of one. The oldest first. */
  list(query: Page & { readonly taskId?: string }): Promise<readonly GrantRow[]>;
  /** False when there was none. */
  delete(id: string): Promise<boolean>;
}

export interface Tokens {
  insert(row: TokenRow): Promise<void>;
  byDigest(digest: string): Promise<TokenRow | null>;
  /** The oldest first. */
  list(page: Page): Promise<readonly TokenRow[]>;
  /** False when there was none. */
  delete(id: string): Promise<boolean>;
}

/** One owner has at most this many: each decision about a command of that owner reads them all. */
export const maxSavedRules = 10_000;

export interface SavedRules {
  /** Idempotent. Throws `resource_exhausted` beyond `maxSavedRules` of one owner. */
  insert(rule: SavedRule): Promise<void>;
  /** What any process has saved by now. The same list as before while nothing was, so that asking often costs little. */
  of(owner: string): Promise<readonly SavedRule[]>;
}
