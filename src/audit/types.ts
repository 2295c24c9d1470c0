/** What the audit takes, keeps and tells. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * A fact to be kept. Never a value of the environment, never output of a command.
 *   decision    what policy, a hook, a scanner or a person has decided about a command
 *   run         a command is about to start; without this record it does not
 *   exit        how it ended, or why it did not start
 *   copy        files are about to go in or out
 *   file        a file tool is about to change something
 *   mount       a mount was refused before a sandbox was made or started, or ended one that had just been
 *   loss        the place ended a sandbox, and its files are those of an earlier moment
 *   abandon     the operator gives up a sandbox whose host does not answer
 *   trust       a person confirms the key of a host
 *   config      the configuration is about to be changed in its file, or to hold as it was read again: names of keys, never values
 *   access      a person lets somebody talk, or takes that back; too many codes were wrong
 *   egress      rules of what a sandbox may connect to have changed; connections were denied, repeated ones with their count
 */
export interface AuditEntry {
  /** Kind of fact; see above. */
  readonly type:
    | 'decision'
    | 'run'
    | 'exit'
    | 'copy'
    | 'file'
    | 'mount'
    | 'loss'
    | 'abandon'
    | 'trust'
    | 'config'
    | 'access'
    | 'egress';
  /** Task that it concerns. `null`: none. */
  readonly taskId: string | null;
  /** Exec that it concerns. `null`: none. */
  readonly execId: string | null;
  readonly [detail: string]: Json;
}

/**
 * A line of the file. The audit writes three types about itself: `torn`, `expired`, and `head-removed` when the file that
 * names the last record was missing, so that records may have been removed from the end before it.
 */
export interface AuditRecord {
  /** From 1 on, without holes, over all files. */
  readonly seq: number;
  /** RFC 3339, by the clock of the writer. */
  readonly at: string;
  /** Kind of fact, or one of three that the audit writes about itself. */
  readonly type: AuditEntry['type'] | 'torn' | 'expired' | 'head-removed';
  /** SHA-256 of the record before; 64 zeros for the first one. */
  readonly prev: string;
  /** SHA-256 of this line up to `,"hash"`. */
  readonly hash: string;
  readonly [detail: string]: Json;
}

export interface Broken {
  /** Name of the file within the audit directory. */
  readonly file: string;
  /** `null`: not a line that is there, but one that is not. */
  readonly line: number | null;
  /** Sequence number of the first record that is not as it was written. */
  readonly seq: number;
  /** One sentence for people. */
  readonly reason: string;
}

export interface Verification {
  /** Whether every kept record is as it was written. */
  readonly intact: boolean;
  /** Records that follow each other without a break, from the oldest kept one on. */
  readonly records: number;
  /** Number of the oldest kept record. `null`: there are no records. */
  readonly firstSeq: number | null;
  /** Number of the newest record. `null`: there are no records. */
  readonly lastSeq: number | null;
  /** Pieces of lines that a crash or a full disk left, each reported by the record after it or at the very end. */
  readonly torn: number;
  /** First break of the chain. `null`: the chain is whole. */
  readonly broken: Broken | null;
}

export interface AuditFigures {
  /** Ever written: the number of the last record. */
  readonly records: number;
  /** Bytes of all files together. */
  readonly bytes: number;
}

/** All that is given must hold. */
export interface AuditFilter {
  /** Absent: of all. */
  readonly owner?: string;
  /** A task id or a sandbox id. */
  readonly task?: string;
  /** Only decisions with this verdict. */
  readonly verdict?: 'allow' | 'ask' | 'deny';
  /** Only decisions by a rule that holds this text. */
  readonly rule?: string;
  /** RFC 3339. Only records of this moment and of later ones. */
  readonly since?: string;
  /** RFC 3339. Only records of earlier moments. */
  readonly until?: string;
}

export interface TailInput extends AuditFilter {
  /** Number of records before the end to begin with. */
  readonly count: number;
  /** Goes on with records to come. Default false. */
  readonly follow?: boolean;
  /** Which of them. Absent: all. */
  readonly only?: (record: AuditRecord) => Promise<boolean>;
}

export interface Audit {
  /**
   * Resolves when it is written, together with what else is recorded in the same turn. Rejects with `resource_exhausted`
   * or `unavailable` when it cannot be; it is not tried again then.
   */
  record(entry: AuditEntry): Promise<void>;
  /** Writes with the next record, or within a moment. Kept until it could be written. */
  recordSoon(entry: AuditEntry): void;
  /** The last records, oldest first; with `follow`, also those to come, until the signal fires. */
  tail(how: TailInput & { readonly follow: boolean; readonly signal?: AbortSignal }): AsyncIterable<AuditRecord>;
  verify(): Promise<Verification>;
  /** How much there is. 0 where nothing was ever recorded. */
  figures(): AuditFigures;
  /** Copies the chain as it is at one moment into a directory, which is made. */
  copyTo(directory: string): Promise<void>;
  /** Writes what waits. Throws when it cannot be written. */
  close(): void;
}
