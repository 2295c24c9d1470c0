/** The index of execs: which ids were used. Part of the contract of the store. */
import type { Page } from './pages.ts';

/** An exec id that was used. What became of the exec is in the journal, or in its sandbox when it is detached. */
export interface ExecRow {
  readonly id: string;
  readonly kind: 'exec' | 'detached';
  readonly taskId: string;
  readonly sandboxId: string;
  readonly backend: string;
  /** Hash of the request as it came (see `identityOf`). `null` in rows that were made from records of earlier versions. */
  readonly request: string | null;
  /** The process that runs it, or ran it. */
  readonly holder: string;
  /** Milliseconds since the epoch, by the clock of the writer. */
  readonly startedAt: number;
}

/** What its events name. */
export type EndedExec = Pick<ExecRow, 'id' | 'taskId' | 'sandboxId' | 'backend'>;

/** What the row of an exec keeps of its `Exit`. */
export interface ExecEnd {
  readonly reason: string;
  readonly exitCode: number | null;
  readonly signal: string | number | null;
}

export interface Execs {
  /**
   * Takes an exec id. `null` when it was free: it is taken now, before anything of the exec happens, and stays so whatever
   * becomes of its record. Otherwise the row that has it.
   */
  insert(row: Omit<ExecRow, 'holder'>): Promise<ExecRow | null>;
  /**
   * Takes an id that was made at random just now, within some milliseconds and together with others. What a crash takes of
   * them is still in the journal, whose record precedes the command.
   */
  insertFresh(row: Omit<ExecRow, 'holder'>): void;
  /**
   * Writes the event of an end within some milliseconds; the record of the exec is in the journal. Never throws: what cannot be
   * written is a warning of the process.
   */
  ended(exec: EndedExec, how: ExecEnd): void;
  /** Execs of holders that died, which have an event of their start and none of their end. The oldest first. */
  cutOff(page: Page): Promise<readonly ExecRow[]>;
  /** Writes the events of such ends. Those that are not given are looked for again. */
  endCutOff(ends: ReadonlyMap<string, ExecEnd>): Promise<void>;
  find(id: string): Promise<ExecRow | null>;
  /** Frees an id: nothing of it was started. Idempotent. */
  delete(id: string): Promise<void>;
  /** A detached process that has ended counts as an exec: its id stays taken, and expires as others do. Idempotent. */
  retire(id: string): Promise<void>;
  /** Detached processes, in all sandboxes or in one. The oldest first. */
  detached(query: Page & { readonly sandboxId?: string }): Promise<readonly ExecRow[]>;
  /** Frees ids of execs that began before a moment, and the oldest beyond a number. Answers how many. */
  expire(beforeMs: number): Promise<number>;
}
