/** Rows of sandboxes, and what is done to them. Part of the contract of the store. */
import type { Ref, Spec } from '../backend.ts';
import type { Labels } from '../values/labels.ts';
import type { Page } from './pages.ts';
import type { Quota } from './quota.ts';

/** One limit or control that the place could not give, and that the caller or a default allowed to miss. */
export interface Degradation {
  /** Name of the limit or control, such as `diskBytes`. */
  readonly control: string;
  /** Value that was wanted. */
  readonly wanted: string | number | boolean;
  /** Reason why the place cannot give it. */
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
 * A member of the pool goes from `creating` to `pooled`, and from there by a claim to `creating`, now of a task, or to `destroying`.
 *
 * `creating`, `stopping` and `destroying` are only legal while a live holder has the lease of the sandbox; without one
 * they are what a crash left: the next holder finishes a creation or a removal, and resumes a sandbox that is `stopping`.
 */
export type SandboxState = 'creating' | 'pooled' | 'ready' | 'stopping' | 'stopped' | 'destroying';

/** A moment by the boot clock of one boot, in milliseconds. */
export interface BootMark {
  /** Id of the boot (`/proc/sys/kernel/random/boot_id`). */
  readonly id: string;
  /** Milliseconds since that boot. */
  readonly ms: number;
}

/** A part of the list of sandboxes, oldest first. */
export interface SandboxQuery extends Page, Partial<Pick<SandboxRow, 'backend' | 'state' | 'labels'>> {
  /** A task id or a sandbox id. */
  readonly task?: string;
  readonly owner?: string;
  /** Members of the pool alone, or all but them. Absent: both. */
  readonly members?: boolean;
}

export interface StopIntent {
  readonly generation: number;
  /** For people: a verb and a process. */
  readonly by: string;
  /**
   * The caller found it idle. Only a sandbox that is ready, that no live holder uses, and whose last use and idle time are still these.
   * Absent: in any case.
   */
  readonly idle?: Pick<SandboxRow, 'usedAt' | 'usedBoot' | 'idleMs'>;
}

/** What a row keeps of the entry of the pool that made it, while it is a member. */
export interface PoolMark {
  /** Name of the entry in the configuration. */
  readonly entry: string;
  /** Id of the image when it was made. `null`: the place does not tell. */
  readonly image: string | null;
}

export interface SandboxRow {
  /** `sbx_` and 16 characters of [a-z0-9]. */
  readonly id: string;
  /** Task of the sandbox. */
  readonly taskId: string;
  /** Name of the backend. */
  readonly backend: string;
  /** Name of the resource in its place, fixed before the resource exists. */
  readonly name: string;
  /** Sandbox that was asked for. */
  readonly spec: Spec;
  /** What file and environment alone said when it was made. `null` in rows of earlier versions. */
  readonly configured: Spec | null;
  /** SHA-256 of the spec. */
  readonly fingerprint: string;
  /** State on record; see `SandboxState`. */
  readonly state: SandboxState;
  /** `null` until the place has answered. */
  readonly ref: Ref | null;
  /** The task's own directory on this host. `null` where the place keeps the files, or nothing is kept. */
  readonly directory: string | null;
  /** Controls that were asked for and do not hold. */
  readonly degraded: readonly Degradation[];
  /** What the probe measured, as plain JSON; `null` when it has not run or could not. */
  readonly effective: Readonly<Record<string, unknown>> | null;
  /** Grows each time the resource is made anew. */
  readonly generation: number;
  /** An ephemeral sandbox belongs to the process that made it and goes with it. */
  readonly ephemeral: boolean;
  /** Milliseconds since the epoch, by the clock of the writer. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
  /** `createdAt` and `usedAt` by the boot clock, which is not stepped; `null` in rows of earlier versions. */
  readonly createdBoot: BootMark | null;
  /** Last use by the boot clock. `null`: not known. */
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
  /** Mark of a member of the pool. `null`: it is the sandbox of a task. */
  readonly pool: PoolMark | null;
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
    | 'pool'
  >
>;

export interface Sandboxes {
  /**
   * Throws `already_exists` when the task has a sandbox, or the id or name is taken, and `resource_exhausted` beyond the quota of
   * the owner, which is compared with the rows of that moment in the same transaction. `null`: no quota.
   */
  insert(row: SandboxRow, quota?: Quota | null): Promise<void>;
  /** Throws `not_found`, and `resource_exhausted` where the changed row would be beyond the quota, as above. */
  update(id: string, patch: SandboxPatch, quota?: Quota | null): Promise<void>;
  /** Idempotent. Grants of its task end with it, in the same transaction. */
  delete(id: string): Promise<void>;
  find(id: string): Promise<SandboxRow | null>;
  ofTask(taskId: string): Promise<SandboxRow | null>;
  /** Costs what the page costs, however many there are. */
  list(query: SandboxQuery): Promise<readonly SandboxRow[]>;
}

export interface Uses {
  /**
   * Records that this holder uses a sandbox, in one transaction with a look at its row. False when it is not `ready`, or was
   * made anew since `generation`: nothing is recorded then. A use keeps the sandbox from being stopped as idle.
   */
  begin(id: string, generation: number): Promise<boolean>;
  /** Idempotent. */
  end(id: string, generation: number): Promise<void>;
  /** Sets the state `stopping`, in one transaction with a look at the row and its uses. False when it may not be stopped. */
  beginStop(id: string, intent: StopIntent): Promise<boolean>;
}
