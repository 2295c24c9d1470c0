/** The allow list of a place that filters by itself: made of the rules of now, and given before a command runs by it. */
import type { Backend, PlaceFilter, Sandbox } from '../backend.ts';
import { CaissonError, isCode } from '../errors.ts';
import type { OwnChange } from '../store/egress.ts';
import type { SandboxRow } from '../store/store.ts';
import type { PlacedSandbox, Ruled } from './way-out.ts';

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
  /** Takes up what the configuration says now. Throws `not_supported` for rules that the list cannot say. */
  list(sandbox: Pick<SandboxRow, 'id' | 'taskId' | 'backend'>, filter: PlaceFilter): Promise<PlaceList>;
  /** Whether `list` would give the same again. Nearly free. */
  isCurrent(sandbox: Ruled, given: PlaceList): Promise<boolean>;
  /** Throws as `list` does for the rules as they will be with this change, and writes nothing. `id: null`: it is not there yet. */
  check(sandbox: Checked, filter: PlaceFilter, change?: OwnChange): Promise<void>;
}

export type Checked = Pick<SandboxRow, 'taskId' | 'backend'> & { readonly id: string | null };

export interface ListParts {
  readonly filters: Filters;
  readonly backend: (name: string) => Promise<Pick<Backend, 'guarantees'>>;
}

const maxTries = 5;

/** Allow lists that this process has given to places. */
export class GivenLists {
  readonly #parts: ListParts;
  /** Keys are ids of sandboxes. */
  readonly #given = new Map<string, PlaceList>();

  constructor(parts: ListParts) {
    this.#parts = parts;
  }

  /** See `WayOut.check`. */
  async check(
    sandbox: PlacedSandbox & Pick<SandboxRow, 'taskId'>,
    id: string | null,
    change?: OwnChange,
  ): Promise<void> {
    const { backend } = sandbox.spec;
    const filter = await this.#filterOf(backend);
    await this.#parts.filters.check({ taskId: sandbox.taskId, backend, id }, filter, change);
  }

  /** Has a sandbox made or started with its list. */
  async giving<T>(row: SandboxRow, give: (hosts: readonly string[]) => Promise<T>): Promise<T> {
    const list = await this.#parts.filters.list(row, await this.#filterOf(row.backend));
    const taken = await give(list.hosts);
    this.#given.set(row.id, list);
    return taken;
  }

  /** The rules of now hold when this resolves; nearly free where this process has given them. */
  async keep(row: SandboxRow, sandbox: Sandbox): Promise<void> {
    const given = this.#given.get(row.id);
    if (given === undefined || !(await this.#parts.filters.isCurrent(row, given))) await this.#give(row, sandbox);
  }

  forget(sandboxId: string): void {
    this.#given.delete(sandboxId);
  }

  /** Another process may give another list meanwhile: the last one that was given is then that of now. */
  async #give(row: SandboxRow, sandbox: Sandbox): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      this.#given.delete(row.id);
      const list = await this.#listOrNothing(row, sandbox);
      await replaceHosts(sandbox, list.hosts);
      this.#given.set(row.id, list);
      if (await this.#parts.filters.isCurrent(row, list)) return;
    }
    throw new CaissonError('unavailable', `the network rules of ${row.taskId} change all the time`, {
      remedy: 'try again',
    });
  }

  /** A list that cannot be changed must not stay as it was: the place is told to let nothing out. */
  async #listOrNothing(row: SandboxRow, sandbox: Sandbox): Promise<PlaceList> {
    const filter = await this.#filterOf(row.backend);
    try {
      return await this.#parts.filters.list(row, filter);
    } catch (error) {
      if (isCode(error, 'not_supported')) await replaceHosts(sandbox, []);
      throw error;
    }
  }

  async #filterOf(backend: string): Promise<PlaceFilter> {
    const { filter } = await (await this.#parts.backend(backend)).guarantees();
    if (filter !== undefined) return filter;
    throw new CaissonError('not_supported', `${backend} does not filter networks by itself any more`, {
      remedy: 'make the sandbox anew: --recreate',
    });
  }
}

async function replaceHosts(sandbox: Sandbox, hosts: readonly string[]): Promise<void> {
  if (sandbox.egress !== undefined) return await sandbox.egress.replace(hosts);
  throw new CaissonError('not_supported', 'the place cannot change what this sandbox may reach', {
    remedy: 'make it anew: --recreate',
  });
}
