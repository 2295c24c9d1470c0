/** What every step of the lifecycle works with. Made once per service object. */
import type { Audit } from '../audit/types.ts';
import type { Backend, Progress, Sandbox } from '../backend.ts';
import type { Budgets } from '../budget/budgets.ts';
import type { Allowed } from '../config/owners.ts';
import type { Config } from '../config/types.ts';
import type { LanedSandbox } from '../exec/lane/laned.ts';
import type { LaneTally } from '../exec/lane/tally.ts';
import type { Clock } from '../lib/clock.ts';
import type { SandboxRow, Store } from '../store/store.ts';
import type { Asking, Caller, Said, Timed } from '../values/caller.ts';
import type { WayOut } from '../egress/way-out.ts';
import type { Plan } from '../plan/types.ts';
import type { Effective } from './effective.ts';
import type { Gate } from './gate.ts';
import type { Uses } from './use.ts';

/** Sandboxes that were made ahead of demand, as a creation asks for one. */
export interface Claims {
  /**
   * A sandbox that is ready for the task of the plan, or null: then it is to be made. The caller holds the lease of the task, which has
   * no sandbox. Throws `resource_exhausted` beyond the quota of its owner.
   */
  claim(plan: Plan, options: StepOptions): Promise<Handle | null>;
}

export interface Context {
  /** The state directory, absolute. */
  readonly home: string;
  readonly store: Store;
  /** Environment of the service, which names the engine and the key agents of this host. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Idle time and time to live are measured by it. */
  readonly clock: Clock;
  readonly uses: Uses;
  readonly audit: Audit;
  /** Opens a backend once. Throws `invalid_argument` for an unknown name. */
  readonly backend: (name: string) => Promise<Backend>;
  readonly gate: Gate;
  /** Sandboxes that were made ahead of demand. */
  readonly claims: Claims;
  /** What callers hold of what all share. */
  readonly budgets: Budgets;
  readonly wayOut: WayOut;
  /** Handles of sandboxes that this process has created or attached, by sandbox id. Dropped when one proves dead. */
  readonly live: Map<string, LanedSandbox>;
  /** Probes under way, by sandbox id. */
  readonly measuring: Map<string, Promise<Effective | null>>;
  /** `exec.lanes` */
  readonly lanes: boolean;
  /** Counts of lanes, over all sandboxes that this process has used. */
  readonly laneTally: LaneTally;
  /** `policy.require_patched_runtime` */
  readonly requirePatchedRuntime: boolean;
  /** What an owner may have, by the configuration in force. */
  readonly allowed: (owner: string) => Allowed;
  /** Logins for images, of the operator and of owners. */
  readonly registries: Pick<Config, 'registries' | 'owners'>;
}

export interface StepOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** On whose behalf. Absent: the program that opened Caisson. */
  readonly caller?: Caller | undefined;
  /** How a caller is asked whose command needs an approval. */
  readonly question?: Asking | undefined;
  /** What a command line has said whose call came through the service. */
  readonly said?: Said | undefined;
  readonly onTimed?: Timed | undefined;
}

/** A sandbox that is ready to run commands. */
export interface Handle {
  readonly row: SandboxRow;
  readonly sandbox: Sandbox;
  readonly how: 'created' | 'found' | 'started' | 'recreated';
  /** Moment since which files are lost: the place had ended the sandbox, which was started just now. See `Sandbox.lost`. */
  readonly lostSince: string | null;
}

export const taskLease = (taskId: string): string => `task:${taskId}`;

export { processLease } from '../store/pool.ts';

/** Another process may pull an image under this lease. */
export const leaseTimeoutMs = 15 * 60_000;

/** Optional properties may not be present as `undefined` under exact types: an absent signal stays absent. */
export function cancelable(options: StepOptions): { readonly signal?: AbortSignal } {
  return options.signal === undefined ? {} : { signal: options.signal };
}
