import type { Exit } from '../values/exit.ts';
import type { RecordFilter, Records } from '../store/records.ts';
import type { ExecEvent, StreamName, Where } from '../values/exec-event.ts';

/** What is known when an exec is recorded. Values of its environment never are. */
export interface ExecHeader {
  readonly command: readonly string[];
  readonly cwd: string;
  /** Absent: it runs as the user of the sandbox. */
  readonly user?: string;
  /** Absent: it has no terminal. */
  readonly tty?: boolean;
  readonly where: Where;
}

/** The record of one exec while it runs. It never throws and never rejects: a full disk must not stop a command. */
export interface Recorder {
  /** Keeps the chunk, which must not change afterwards. A promise asks the caller to wait: the disk is behind. */
  write(stream: StreamName, chunk: Uint8Array): Promise<void> | void;
  /** Only the first counts. */
  end(exit: Exit): Promise<void>;
  /** Bytes that came and are not kept, as it has no more room. */
  readonly missing: Readonly<Record<StreamName, number>>;
  /** What went wrong with the record, with the code of the error; belongs into the exit. */
  readonly note: string | null;
}

export interface ReadOptions {
  /** Only events with a higher `seq`. Default 0: all. */
  readonly after?: number;
  /** Bytes of each stream that are read of what is on record now; a gap says how many are left out. Absent: all. */
  readonly tailBytes?: number;
  /** Wait for what is still to come, until the exec has ended. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

export interface JournalOptions {
  /** Bytes kept of one exec's output beyond its first 256 KiB; the rest is a counted gap. */
  readonly spillBytes: number;
  /** Bytes of all records together; the oldest go first. */
  readonly storeBytes: number;
  readonly retentionMs: number;
  /** Milliseconds since the epoch, for the age of records. Absent: the time of day. */
  readonly now?: () => number;
  /** Names the files of this process. */
  readonly holder: string;
  /** Index of the places of records, which all processes share. */
  readonly records: Records;
}

export interface ExecSummary {
  readonly execId: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly command: readonly string[];
  readonly user?: string;
  readonly where: Where;
  /** `null`: it runs. */
  readonly exit: Exit | null;
}

export type ExecFilter = Omit<RecordFilter, 'oldestFirst'>;

export interface Removed {
  readonly name: string;
  readonly bytes: number;
  readonly why: string;
}

export interface Journal {
  /**
   * Opens the record of an exec that is about to start. The id must be its own (see `takeId`); throws `invalid_argument`
   * for one of another form.
   */
  record(execId: string, started: ExecHeader): Recorder;
  /** Has the store know all records that are in files, also those of earlier versions. */
  index(): Promise<void>;
  /** Whether an exec of this id is on record. */
  has(execId: string): Promise<boolean>;
  /** Throws `not_found` for an id without a record, `canceled` when the signal fires. */
  read(execId: string, options?: ReadOptions): AsyncGenerator<ExecEvent, void, void>;
  /** Events of one exec, or of all execs of a task or sandbox, oldest first, one exec after the other. */
  logs(id: string, options?: ReadOptions): AsyncGenerator<ExecEvent, void, void>;
  /** `null` for an id without a record. */
  exec(execId: string): Promise<ExecSummary | null>;
  /** Newest first. */
  execs(filter: ExecFilter): Promise<readonly ExecSummary[]>;
  /** Removes what is too old or too much, or with `dryRun` tells what would be. Records of running execs stay. */
  expire(how?: { readonly dryRun?: boolean }): Promise<readonly Removed[]>;
  /** `expire`, at most once an hour for all processes: one that is short-lived leaves a segment, and no other is to clear it. */
  tidy(): Promise<void>;
  /** Writes what is gathered. Execs without an end are `lost` from then on. Idempotent. */
  close(): Promise<void>;
}
