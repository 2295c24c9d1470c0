/** Ways out by the configuration: a door or a list, and what carries the bytes. */
import type { CreateOptions, Sandbox } from '../backend.ts';
import type { Loaded } from '../config/types.ts';
import type { EgressRow } from '../store/egress.ts';
import type { SandboxRow } from '../store/store.ts';
import { type ConfiguredDoors, doorsIn, type EgressDoors } from './doors.ts';
import { type FilterDependencies, PlaceFilters } from './filters.ts';
import { GivenLists, type ListParts } from './place-list.ts';
import { hasDoor, isFilteredByPlace, type WayOut } from './way-out.ts';

type Way = Pick<CreateOptions, 'door' | 'egress'>;
export type Doors = Pick<EgressDoors, keyof EgressDoors>;

export function wayOutBy(
  loaded: Loaded,
  parts: ConfiguredDoors & Omit<FilterDependencies, 'loaded'> & Pick<ListParts, 'backend'>,
): WayOut {
  const lists = new GivenLists({ backend: parts.backend, filters: new PlaceFilters({ loaded, ...parts }) });
  return new WaysOut(doorsIn(loaded, parts), lists);
}

export class WaysOut implements WayOut {
  readonly #doors: Doors;
  readonly #lists: GivenLists;

  constructor(doors: Doors, lists: GivenLists) {
    this.#doors = doors;
    this.#lists = lists;
  }

  async check(...[sandbox, id, change]: Parameters<WayOut['check']>): Promise<void> {
    if (isFilteredByPlace(sandbox)) await this.#lists.check(sandbox, id, change);
  }

  async make<T>(row: SandboxRow, make: (way: Way) => Promise<T>): Promise<T> {
    if (isFilteredByPlace(row)) return await this.#lists.giving(row, (egress) => make({ egress }));
    return await make(hasDoor(row) ? { door: await this.#doors.open(row) } : {});
  }

  async start(...[row, start]: Parameters<WayOut['start']>): Promise<void> {
    if (isFilteredByPlace(row)) return await this.#lists.giving(row, (egress) => start({ egress }));
    if (!hasDoor(row)) return await start({});
    await this.#doors.keep(row);
    await start({});
    await this.#doors.enter(row);
  }

  async enter(row: SandboxRow, sandbox: Sandbox): Promise<void> {
    if (hasDoor(row)) await this.#doors.enter(row);
    if (isFilteredByPlace(row)) await this.#lists.keep(row, sandbox);
  }

  async keep(row: SandboxRow, sandbox: Sandbox): Promise<boolean> {
    if (isFilteredByPlace(row)) await this.#lists.keep(row, sandbox);
    if (hasDoor(row)) await this.#doors.keep(row);
    return (await sandbox.carrier?.carries()) !== false;
  }

  async restore({ carrier }: Sandbox): Promise<void> {
    await carrier?.restore();
  }

  async refresh(): Promise<void> {
    await this.#doors.refresh();
  }

  async denied(...[row, sinceMs, caller]: Parameters<WayOut['denied']>): Promise<readonly string[]> {
    return hasDoor(row) ? await this.#doors.denied(row, sinceMs, caller) : [];
  }

  async change(...[sandbox, change]: Parameters<WayOut['change']>): Promise<EgressRow | null> {
    return await this.#doors.change(sandbox, change);
  }

  release(): void {
    this.#doors.release();
  }

  async close(...[sandbox, next]: Parameters<WayOut['close']>): Promise<void> {
    this.#lists.forget(sandbox.id);
    if (hasDoor(sandbox) && (next === undefined || !hasDoor(next))) await this.#doors.close(sandbox.id);
  }

  async left(): ReturnType<WayOut['left']> {
    return await this.#doors.left();
  }

  async remove(sandboxId: string): Promise<void> {
    await this.#doors.close(sandboxId);
  }
}
