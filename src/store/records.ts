/**
 * Places of the records of execs in the journal. The records themselves are files of the journal; their places are columns of
 * the index of execs, so that a list costs its page and no file is read to find one exec.
 */

import type { Page, Position } from './pages.ts';

/** A file of the journal. */
export interface SegmentRow {
  readonly name: string;
  /** Random, one for each process that writes. */
  readonly writer: string;
  /** Grows by one with each segment of a writer. */
  readonly n: number;
  /** Milliseconds since the epoch. No record in it began earlier. */
  readonly since: number;
}

export interface RecordPlace<Segment = string> {
  readonly segment: Segment;
  readonly offset: number;
}

export interface RecordRow {
  readonly execId: string;
  readonly taskId: string;
  readonly sandboxId: string;
  /** Milliseconds since the epoch, by the clock of the writer. */
  readonly startedAt: number;
  readonly start: RecordPlace;
  /** Its exit, or its last frame where the writer died before. `null`: it runs. The segment is `null` when that has expired. */
  readonly last: RecordPlace<string | null> | null;
}

export interface BegunRecord extends Omit<RecordRow, 'start' | 'last'> {
  readonly backend: string;
  readonly start: RecordPlace<SegmentRow>;
}

/** A record as its files have it. */
export interface FoundRecord extends Omit<BegunRecord, 'backend'> {
  /** Asked only for an exec without a row. */
  readonly backend: () => string;
  readonly last: RecordPlace<SegmentRow> | null;
}

export interface RecordFilter {
  /** A task id or a sandbox id. */
  readonly task?: string | undefined;
  /** Only in tasks of this owner, and under ids of it. */
  readonly owner?: string | undefined;
  readonly sandboxes?: readonly string[] | undefined;
  /** Only what follows this exec in the list. `at`: when it started, should its row be gone. */
  readonly after?: { readonly id: string; readonly at: number } | null | undefined;
  readonly limit: number;
  /** Absent: the newest first. */
  readonly oldestFirst?: boolean;
}

export interface SegmentQuery extends Page<string> {
  /** Only segments that still change, or whose writer died. */
  readonly incomplete?: boolean;
}

/** Positions in lists of segments and of execs that run. */
export const segmentPosition = ({ name }: SegmentRow): string => name;
export const runningPosition = ({ startedAt, execId }: RecordRow): Position => ({ at: startedAt, id: execId });

export interface Records {
  /** Within some milliseconds and together with other rows, as `ended` and `opened`. Never throws. */
  begun(record: BegunRecord): void;
  ended(execId: string, last: RecordPlace<SegmentRow>): void;
  opened(segment: SegmentRow): void;
  /** Nothing in these segments is unknown to this store from here on. */
  complete(names: readonly string[]): void;
  /** How often such rows could not be written so far: what they would have said has to be found in the files. */
  readonly failures: number;

  find(execId: string): Promise<RecordRow | null>;
  list(filter: RecordFilter): Promise<readonly RecordRow[]>;
  /** Those without an end, in the order of their start. */
  running(page: Page): Promise<readonly RecordRow[]>;
  /** In the order of their names, each of which is a position. */
  segments(query: SegmentQuery): Promise<readonly SegmentRow[]>;
  /** The one that its writer went on to. */
  segmentAfter(segment: Pick<SegmentRow, 'writer' | 'n'>): Promise<SegmentRow | null>;
  addSegments(segments: readonly SegmentRow[]): Promise<void>;
  dropSegments(names: readonly string[]): Promise<void>;
  /** In one transaction. What a row says already stays. */
  found(records: readonly FoundRecord[]): Promise<void>;
  /** Whether all records from before this database, or from before this table, have been found. */
  isIndexed(): Promise<boolean>;
  setIndexed(): Promise<void>;
}
