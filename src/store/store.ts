/**
 * What Caisson remembers: sandboxes, and who is working on them. One contract, several stores.
 *
 * Several processes may share one store. Nothing here waits for another process: `acquire` answers at once, and the
 * caller decides whether to try again. Every method is one short transaction that outlives this process when it
 * resolves. Intents (a new row, `creating`, `destroying` with a directory) outlive a power cut too; after one, what else was
 * written last may be missing, and is found out from the place as after any crash.
 *
 * A holder is one process (or replica). It proves that it lives by a heartbeat, and on one host by its process id
 * together with the start time of that process, so that a killed holder is known to be dead at once and a stopped one
 * (SIGSTOP, a closed laptop) keeps what it holds.
 */
import type { Ref, Spec } from '../backend.ts';
import type { EgressRules } from './egress.ts';
import type { Events } from './events.ts';
import type { StoreFigures } from './figures.ts';
import type { Labels } from '../values/labels.ts';
import type { Outbox } from './outbox.ts';
import type { Places } from './places.ts';
import type { Records } from './records.ts';
import type { ApprovalAnswer, ApprovalRow, GrantRow, SavedRule, TokenRow } from './decisions.ts';

export type { ApprovalAnswer, ApprovalRow, GrantRow, SavedRule, TokenRow } from './decisions.ts';

/** One limit or control that the place could not give, and that the caller or a default allowed to miss. */
export interface Degradation {
  readonly control: string;
  readonly wanted: string | number | boolean;
  readonly reason: string;
  /** Whether the request or the configuration asked for it; the defaults want the others. */
  readonly asked: boolean;
}

/**
 *   (none) --intent--> creating --> ready --> stopping --> stopped
 *                         |           ^  |                    |
 *                         |           +--|--------------------+
 *                         +--------------+--------------------+--> destroying --> (none)
 *
 * `creating`, `stopping` and `destroying` are only legal while a live holder has the lease of the sandbox; without one
 * they are what a crash left: the next holder finishes a creation or a removal, and resumes a sandbox that is `stopping`.
 */
export type SandboxState = 'creating' | 'ready' | 'stopping' | 'stopped' | 'destroying';

/** A moment by the boot clock of one boot, in milliseconds. */
export interface BootMark {
  readonly id: string;
  readonly ms: number;
}

/** A part of the list of sandboxes, oldest first. */
export interface SandboxQuery extends Partial<Pick<SandboxRow, 'backend' | 'state' | 'labels'>> {
  /** A task id or a sandbox id. */
  readonly task?: string;
  readonly owner?: string;
  /** Only what follows this position: when a sandbox was made, and its id. */
  readonly after?: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
}

export interface StopIntent {
  readonly generation: number;
  /** For people: a verb and a process. */
  readonly by: string;
  /** Only a sandbox that is ready, unused, and of which this holds when the row is read again. Absent: in any case. */
  readonly ifIdle?: (row: SandboxRow) => boolean;
}

export interface SandboxRow {
  /** `sbx_` and 16 characters of [a-z0-9]. */
  readonly id: string;
  readonly taskId: string;
  readonly backend: string;
  /** Name of the resource in its place, fixed before the resource exists. */
  readonly name: string;
  readonly spec: Spec;
  /** What file and environment alone said when it was made. `null` in rows of earlier versions. */
  readonly configured: Spec | null;
  readonly fingerprint: string;
  readonly state: SandboxState;
  /** `null` until the place has answered. */
  readonly ref: Ref | null;
  /** The task's own directory on this host. `null` where the place keeps the files, or nothing is kept. */
  readonly directory: string | null;
  readonly degraded: readonly Degradation[];
  /** What the probe measured, as plain JSON; `null` when it has not run or could not. */
  readonly effective: Readonly<Record<string, unknown>> | null;
  /** Grows each time the resource is made anew. */
  readonly generation: number;
  /** An ephemeral sandbox belongs to the process that made it and goes with it. */
  readonly ephemeral: boolean;
  /** Milliseconds since the epoch, by the clock of the writer. */
  readonly createdAt: number;
  readonly usedAt: number;
  /** `createdAt` and `usedAt` by the boot clock, which is not stepped; `null` in rows of earlier versions. */
  readonly createdBoot: BootMark | null;
  readonly usedBoot: BootMark | null;
  /** What stopped or removed it last, for people: a verb and a process. `null`: nothing has. */
  readonly endedBy: string | null;
  /**
   * The place ended the sandbox, and its files were then those of this moment (RFC 3339, UTC): what was written later is
   * gone. Of the last such loss. `null`: nothing was lost since the resource was made from its spec.
   */
  readonly lostSince: string | null;
  /** Stop (or remove, when ephemeral) after this long without use. `null`: never. */
  readonly idleMs: number | null;
  /** Remove after this long in any case. `null`: never. */
  readonly ttlMs: number | null;
  /** Labels that callers gave; Caisson reads no meaning into them. */
  readonly labels: Labels;
}

export type SandboxPatch = Partial<
  Pick<
    SandboxRow,
    | 'spec'
    | 'configured'
    | 'fingerprint'
    | 'state'
    | 'ref'
    | 'directory'
    | 'degraded'
    | 'effective'
    | 'generation'
    | 'createdAt'
    | 'usedAt'
    | 'createdBoot'
    | 'usedBoot'
    | 'endedBy'
    | 'lostSince'
    | 'idleMs'
    | 'ttlMs'
    | 'labels'
  >
>;

/**
 *   (none) --> pending --> approved --> used
 *                 \----> denied
 *
 * `pending` counts only while a live holder has the lease of the question: who asked it and died is not waiting.
 */
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

export interface Holder {
  readonly id: string;
  readonly pid: number | null;
  readonly host: string;
  readonly alive: boolean;
}

export interface Store {
  /** Identity of this store, made once: written on every resource, so that nothing of another store is touched. */
  readonly instance: string;
  /** Identity of this process as a holder. */
  readonly holderId: string;
  /** Events for webhooks. They are written with what happened, by no call of their own. */
  readonly outbox: Outbox;
  readonly places: Places;
  readonly egress: EgressRules;
  /** Places of the records of execs in the journal. */
  readonly records: Records;
  /** Changes of state. Each is written with what changed, by no call of its own. */
  readonly events: Events;

  /**
   * Throws `already_exists` when the task has a sandbox, or the id or name is taken. `fits` is given all rows in the same
   * transaction, with which no other process writes one; what it throws is thrown, and nothing is written.
   */
  insertSandbox(row: SandboxRow, fits?: (rows: readonly SandboxRow[]) => void): Promise<void>;
  /** Throws `not_found`, and what `fits` throws, as above. */
  updateSandbox(id: string, patch: SandboxPatch, fits?: (rows: readonly SandboxRow[]) => void): Promise<void>;
  /** Idempotent. Grants of its task end with it, in the same transaction. */
  deleteSandbox(id: string): Promise<void>;
  sandbox(id: string): Promise<SandboxRow | null>;
  sandboxOfTask(taskId: string): Promise<SandboxRow | null>;
  /** All of them, oldest first. */
  sandboxes(): Promise<readonly SandboxRow[]>;
  /** Costs what the page costs, however many there are. */
  listSandboxes(query: SandboxQuery): Promise<readonly SandboxRow[]>;

  /**
   * Records that this holder uses a sandbox, in one transaction with a look at its row. False when it is not `ready`, or was
   * made anew since `generation`: nothing is recorded then. A use keeps the sandbox from being stopped as idle.
   */
  beginUse(id: string, generation: number): Promise<boolean>;
  /** Idempotent. */
  endUse(id: string, generation: number): Promise<void>;
  /** Sets the state `stopping`, in one transaction with a look at the row and its uses. False when it may not be stopped. */
  beginStop(id: string, intent: StopIntent): Promise<boolean>;

  /**
   * Takes an exec id. `null` when it was free: it is taken now, before anything of the exec happens, and stays so whatever
   * becomes of its record. Otherwise the row that has it.
   */
  insertExec(row: Omit<ExecRow, 'holder'>): Promise<ExecRow | null>;
  /**
   * Takes an id that was made at random just now, within some milliseconds and together with others. What a crash takes of
   * them is still in the journal, whose record precedes the command.
   */
  insertFreshExec(row: Omit<ExecRow, 'holder'>): void;
  /**
   * Writes the event of an end within some milliseconds; the record of the exec is in the journal. Never throws: what cannot be
   * written is a warning of the process.
   */
  execEnded(exec: EndedExec, how: ExecEnd): void;
  /** Execs of holders that died, which have an event of their start and none of their end. */
  cutOffExecs(): Promise<readonly ExecRow[]>;
  /** Writes the events of such ends. Those that are not given are looked for again. */
  endCutOffExecs(ends: ReadonlyMap<string, ExecEnd>): Promise<void>;
  exec(id: string): Promise<ExecRow | null>;
  /** Frees an id: nothing of it was started. Idempotent. */
  deleteExec(id: string): Promise<void>;
  /** A detached process that has ended counts as an exec: its id stays taken, and expires as others do. Idempotent. */
  retireExec(id: string): Promise<void>;
  detachedExecs(): Promise<readonly ExecRow[]>;
  /** Frees ids of execs that began before a moment, and the oldest beyond a number. Answers how many. */
  expireExecs(beforeMs: number): Promise<number>;
  /** Whether that holder lives. */
  isAlive(holder: string): Promise<boolean>;
  /** Milliseconds since the epoch, without steps forward since boot: what expires by age is compared with it. */
  steadyNow(): number;

  /** Forgets those that are older than a week. */
  insertApproval(row: ApprovalRow): Promise<void>;
  /** False when it is not pending any more: the first answer counts. */
  answerApproval(id: string, answer: ApprovalAnswer): Promise<boolean>;
  /** Uses an approval up. True once, and only for the same binding. */
  useApproval(id: string, binding: string): Promise<boolean>;
  approval(id: string): Promise<ApprovalRow | null>;
  /** In the order of the questions. */
  pendingApprovals(): Promise<readonly ApprovalRow[]>;

  /** Forgets those whose time has ended. */
  insertGrant(row: GrantRow): Promise<void>;
  /** Those that still hold, of all tasks, oldest first. */
  grants(): Promise<readonly GrantRow[]>;
  /** False when there was none. */
  deleteGrant(id: string): Promise<boolean>;

  insertToken(row: TokenRow): Promise<void>;
  tokenByDigest(digest: string): Promise<TokenRow | null>;
  /** All of them, oldest first. */
  tokens(): Promise<readonly TokenRow[]>;
  /** False when there was none. */
  deleteToken(id: string): Promise<boolean>;

  /** Idempotent. */
  insertSavedRule(rule: SavedRule): Promise<void>;
  /** What any process has saved by now. The same list as before while nothing was, so that asking often costs little. */
  savedRules(owner: string): Promise<readonly SavedRule[]>;

  /**
   * Takes a lease for this holder. True when it is held afterwards: it was free, or its holder is dead. False when a live
   * holder has it, also when that holder is this one: a lease is a lock, not a count.
   */
  acquire(key: string): Promise<boolean>;
  /** Gives a lease back. Does nothing when this holder does not have it. */
  release(key: string): Promise<void>;
  /** Who holds it now, dead or alive. */
  holder(key: string): Promise<Holder | null>;

  figures(): Promise<StoreFigures>;
  /**
   * Writes a copy as it is at one moment to a new file, while this and other processes go on to write. Throws
   * `already_exists`, and `resource_exhausted` on a full disk.
   */
  copyTo(path: string): Promise<void>;

  /** Gives all leases of this holder back and closes. Idempotent. */
  close(): Promise<void>;
}
