/** Networks that a place filters by an allow list of its own: see `Guarantees.filter`. */
import type { PlaceFilter } from '../backend.ts';
import type { OwnChange } from '../store/egress.ts';
import type { SandboxRow } from '../store/store.ts';

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
