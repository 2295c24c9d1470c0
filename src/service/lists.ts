/** What lists are asked with, and the pages that they give. */
import type { View } from '../sandbox/view.ts';

/** One part of a list. */
export interface Page<T> {
  /** Items of this part, in the order of the list. */
  readonly items: readonly T[];
  /** Opaque; for `cursor` of the next call. `null`: there is no more. */
  readonly nextCursor: string | null;
}

export interface PageInput {
  /** 1 to 1,000; absent: 100. */
  readonly limit?: number;
  /** `nextCursor` of the page before, for the same filter. Throws `invalid_argument` for any other text. */
  readonly cursor?: string;
}

export interface SandboxFilter extends PageInput {
  /** A task id or a sandbox id. */
  readonly task?: string;
  /** Only tasks of this owner. */
  readonly owner?: string;
  /** Only those of this backend. */
  readonly backend?: string;
  /** Only those in this state. */
  readonly state?: View['state'];
  /** Only those with all of these labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Those that were made ahead of demand and that no task has taken, instead of those of tasks. */
  readonly pool?: boolean;
}

export interface ExecFilter extends PageInput {
  /** A task id or a sandbox id. */
  readonly task?: string;
  /** Only in tasks of this owner, and under ids of it. */
  readonly owner?: string;
  /** Only in these sandboxes. */
  readonly sandboxes?: readonly string[];
}

/** Filter for processes: those of one task, or of all sandboxes that run, or of those of one owner. */
export interface ProcessFilter {
  /** A task id or a sandbox id. */
  readonly task?: string;
  /** Only in tasks of this owner. */
  readonly owner?: string;
}
