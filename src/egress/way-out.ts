/**
 * The way out of a sandbox whose network is `filtered`: a door (see `CreateOptions.door`), or an allow list of its place (see
 * `Guarantees.filter`).
 */
import type { CreateOptions, Sandbox } from '../backend.ts';
import type { EgressRow, OwnChange } from '../store/egress.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Caller } from '../values/caller.ts';
import { placedMode } from '../values/network-modes.ts';

export type PlacedSandbox = Pick<SandboxRow, 'spec' | 'degraded'>;

/** A place that could not give it, and was allowed not to, has given a sandbox without one; one that filters by itself has none. */
export function hasDoor(placed: PlacedSandbox): boolean {
  return placedMode(placed.spec.network) === 'filtered' && placed.spec.filteredBy === undefined && !isMissed(placed);
}

export function isFilteredByPlace(placed: PlacedSandbox): boolean {
  return placed.spec.filteredBy === 'place' && !isMissed(placed);
}

const isMissed = ({ degraded }: PlacedSandbox): boolean => degraded.some(({ control }) => control === 'network');

/** A sandbox as its rules know it. */
export type Ruled = Pick<SandboxRow, 'id' | 'taskId'>;

/** A sandbox with any network may be given: one that is not filtered has no way out, and nothing is done about it. */
export interface WayOut {
  /**
   * Throws `not_supported` for rules that the place cannot hold, as they are or as they will be with this change. It writes
   * nothing. `id: null`: the sandbox is not made yet.
   */
  check(sandbox: PlacedSandbox & Pick<SandboxRow, 'taskId'>, id: string | null, change?: OwnChange): Promise<void>;
  /** Has a sandbox made with its way out, by the rules of now. Throws `unavailable`, `not_supported`, or what `make` throws. */
  make<T>(row: SandboxRow, make: (way: Pick<CreateOptions, 'door' | 'egress'>) => Promise<T>): Promise<T>;
  /** Has it started by the rules of now, and resolves when there is a way in. It throws as `make` does. */
  start(row: SandboxRow, start: (way: Pick<CreateOptions, 'egress'>) => Promise<void>): Promise<void>;
  /** Resolves when there is a way in for a sandbox that was just made. Throws `unavailable`. */
  enter(row: SandboxRow, sandbox: Sandbox): Promise<void>;
  /**
   * The rules of now hold when it resolves: nearly free where nothing has changed. False: what carries the bytes has ended,
   * and `restore` starts it again, which one process alone does at a time. Throws as `exec` does where the sandbox has ended.
   */
  keep(row: SandboxRow, sandbox: Sandbox): Promise<boolean>;
  restore(sandbox: Sandbox): Promise<void>;
  /** Takes up what the configuration says now, for all doors that are open. */
  refresh(): Promise<void>;
  /** Notes for people about connections that a door denied since then, see `EgressDoors.denied`. Rejects never. */
  denied(row: SandboxRow, sinceMs: number, caller?: Caller): Promise<readonly string[]>;
  /** Rules of this sandbox alone. What is forbidden by them is cut at its door when this resolves. `null`: it has no rules. */
  change(sandbox: Ruled, change: OwnChange): Promise<EgressRow | null>;
  /** Ends the work of this process, which leaves the ways open. */
  release(): void;
  /** Removes the door of a sandbox with the records of its connections, unless what it is to become has one too. Idempotent. */
  close(sandbox: PlacedSandbox & Ruled, next?: PlacedSandbox): Promise<void>;
  /** Sandboxes of which `remove` would remove something, each with a path of that. */
  left(): Promise<readonly { readonly sandboxId: string; readonly path: string }[]>;
  /** Closes what is left of a sandbox without a record. */
  remove(sandboxId: string): Promise<void>;
}
