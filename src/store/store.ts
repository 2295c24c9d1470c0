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
import type { Approvals, Grants, SavedRules, Tokens } from './decisions.ts';
import type { EgressRules } from './egress.ts';
import type { Events } from './events.ts';
import type { Execs } from './execs.ts';
import type { StoreFigures } from './figures.ts';
import type { History } from './history.ts';
import type { Leases } from './leases.ts';
import type { Outbox } from './outbox.ts';
import type { Places } from './places.ts';
import type { Pool } from './pool.ts';
import type { Records } from './records.ts';
import type { SampleStore } from './samples.ts';
import type { Sandboxes, Uses } from './sandboxes.ts';

export type { ApprovalRow, GrantRow, TokenRow } from './decisions.ts';
export type { ExecEnd, ExecRow } from './execs.ts';
export type { BootMark, Degradation, SandboxPatch, SandboxQuery, SandboxRow } from './sandboxes.ts';

export interface Store {
  /** Identity of this store, made once: written on every resource, so that nothing of another store is touched. */
  readonly instance: string;
  /** Identity of this process as a holder. */
  readonly holderId: string;
  readonly leases: Leases;
  readonly sandboxes: Sandboxes;
  /** Uses of sandboxes, and stops, which wait for none. */
  readonly uses: Uses;
  /** Members of the pool. */
  readonly pool: Pool;
  readonly execs: Execs;
  /** Places of the records of execs in the journal. */
  readonly records: Records;
  /** What was done, and how it ended. */
  readonly history: History;
  readonly places: Places;
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly tokens: Tokens;
  readonly savedRules: SavedRules;
  readonly egress: EgressRules;
  /** Changes of state. Each is written with what changed, by no call of its own. */
  readonly events: Events;
  /** Events for webhooks. They are written with what happened, by no call of their own. */
  readonly outbox: Outbox;
  /** What sandboxes have used. */
  readonly samples: SampleStore;

  /** Milliseconds since the epoch, without steps forward since boot: what expires by age is compared with it. */
  steadyNow(): number;
  figures(): Promise<StoreFigures>;
  /**
   * Writes a copy as it is at one moment to a new file, while this and other processes go on to write. Throws
   * `already_exists`, and `resource_exhausted` on a full disk.
   */
  copyTo(path: string): Promise<void>;
  /** Gives all leases of this holder back and closes. Idempotent. */
  close(): Promise<void>;
}
