/** Members of the pool: made without a task, and given to one once. Part of the contract of the store. */
import type { Quota } from './quota.ts';
import type { SandboxPatch, SandboxRow } from './sandboxes.ts';

export interface Claim {
  /** Fingerprint of the members that fit. */
  readonly key: string;
  /** Members that are taken before older ones. */
  readonly first: readonly string[];
  readonly becomes: SandboxPatch & Pick<SandboxRow, 'spec' | 'taskId' | 'ephemeral' | 'pool'>;
  /** The most that the claimer may have; see `Sandboxes.insert`. */
  readonly quota: Quota | null;
}

/** Held by the process that owns an ephemeral sandbox, for as long as it wants it. */
export const processLease = (sandboxId: string): string => `sandbox:${sandboxId}`;

export interface Pool {
  /**
   * Makes the oldest member that fits the sandbox of a task, in the state `creating`: one winner over any number of processes. An
   * ephemeral one is held by this holder from then on. It has no egress rules then, so that its network stays closed until those of the
   * task are written. `null`: none fits. Throws `already_exists` when the task has a sandbox, and
   * `resource_exhausted` beyond the quota of the owner; nothing has changed then.
   */
  claim(claim: Claim): Promise<SandboxRow | null>;
  /** From `creating` to `pooled`. False: it is something else by now. */
  offer(id: string): Promise<boolean>;
  /** From `pooled` to `destroying`. False: it has been claimed or removed. `by`: for people, a verb and a process. */
  retire(id: string, by: string): Promise<boolean>;
}
