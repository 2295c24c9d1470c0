/**
 * Ways out of a sandbox whose network is `filtered`: a door (see `CreateOptions.door`), or an allow list of its place (see
 * `Guarantees.filter`).
 */
import type { PlaceFilter } from '../backend.ts';
import type { EgressRow, OwnChange } from '../store/egress.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Caller } from '../values/caller.ts';
import { placedMode } from '../values/network-modes.ts';

/** A place that could not give it, and was allowed not to, has given a sandbox without one; one that filters by itself has none. */
export function hasDoor({ spec, degraded }: Pick<SandboxRow, 'spec' | 'degraded'>): boolean {
  const isFiltered = placedMode(spec.network) === 'filtered' && spec.filteredBy === undefined;
  return isFiltered && !degraded.some(({ control }) => control === 'network');
}

export interface Doors {
  /** The directory with the socket, on which the proxy listens when this resolves, by the rules of now. Throws `unavailable`. */
  open(sandbox: Pick<SandboxRow, 'id' | 'taskId'>): Promise<string>;
  /** Has a door that was open listen by the rules of now: nearly free where nothing has changed. Throws `unavailable`. */
  keep(sandbox: Pick<SandboxRow, 'id' | 'taskId'>): Promise<void>;
  /** Resolves when there is a way in for a sandbox that was just made or started. Throws `unavailable`. */
  enter(sandbox: Pick<SandboxRow, 'id'>): Promise<void>;
  /** Takes up what the configuration says now, for all that are open. */
  refresh(): Promise<void>;
  /**
   * Notes for people about connections that were denied since then, by the wall clock; with `network.ask` a question is put about each
   * host. Bounded. Rejects never. `caller`: whose command it was.
   */
  denied(
    sandbox: Pick<SandboxRow, 'id' | 'taskId' | 'backend' | 'ephemeral'>,
    sinceMs: number,
    caller?: Caller,
  ): Promise<readonly string[]>;
  /** Rules of this sandbox alone. What is forbidden by them is cut when this resolves. `null`: it has no rules. */
  change(sandbox: Pick<SandboxRow, 'id' | 'taskId'>, change: OwnChange): Promise<EgressRow | null>;
  /** Ends the work of this process on its doors, which stay open. */
  release(): void;
  /** Removes the door of a sandbox, and the records of its connections. Idempotent. */
  close(sandboxId: string): Promise<void>;
  /** Sandboxes of which `close` would remove something, each with a path of that. */
  left(): Promise<readonly { readonly sandboxId: string; readonly path: string }[]>;
}

/** The list of one sandbox, and what it was made from. */
export interface PlaceList {
  readonly hosts: readonly string[];
  /** Identity of the configuration from which this process made the list. */
  readonly source: string;
  /** Revision of the rules in the store. */
  readonly revision: number;
  /** Identity of the website policy. */
  readonly websites: string;
}

export interface Filters {
  /** What this process has given to places, by sandbox id. */
  readonly given: Map<string, PlaceList>;
  /** Takes up what the configuration says now. Throws `not_supported` for rules that the list cannot say. */
  list(sandbox: Pick<SandboxRow, 'id' | 'taskId' | 'backend'>, filter: PlaceFilter): Promise<PlaceList>;
  /** Whether `list` would give the same again. Nearly free. */
  isCurrent(sandbox: Pick<SandboxRow, 'id' | 'taskId'>, given: PlaceList): Promise<boolean>;
  /** Throws as `list` does for the rules as they will be with this change, and writes nothing. `id: null`: it is not there yet. */
  check(sandbox: Checked, filter: PlaceFilter, change?: OwnChange): Promise<void>;
}

export type Checked = Pick<SandboxRow, 'taskId' | 'backend'> & { readonly id: string | null };

type Placed = Pick<SandboxRow, 'spec' | 'degraded'>;

export function isFilteredByPlace({ spec, degraded }: Placed): boolean {
  return spec.filteredBy === 'place' && !degraded.some(({ control }) => control === 'network');
}
