/** All sandboxes with what they use now and what they did last. */
import type { Context } from '../../sandbox/context.ts';
import { viewOf } from '../../sandbox/view.ts';
import { created, everyRow } from '../../store/pages.ts';
import type { SandboxRow } from '../../store/store.ts';
import { ownerOf } from '../../values/owner.ts';
import type { SandboxUse, UseFilter } from '../top.ts';
import { DiskUse } from './disk.ts';
import { Readings } from './readings.ts';

/** A backend is asked about so many at once. */
const atOnce = 8;

export class Top {
  readonly #context: Context;
  readonly #readings: Readings;
  readonly #disk = new DiskUse();

  constructor(context: Context) {
    this.#context = context;
    this.#readings = new Readings(context);
  }

  async list(filter: UseFilter, signal?: AbortSignal): Promise<readonly SandboxUse[]> {
    const { sandboxes } = this.#context.store;
    const rows = await Array.fromAsync(
      everyRow((page) => sandboxes.list({ ...filter, ...page, members: false }), created),
    );
    if (Object.keys(filter).length === 0) this.#readings.keepOnly(new Set(rows.map(({ id }) => id)));
    const found: SandboxUse[] = [];
    for (let at = 0; at < rows.length; at += atOnce)
      found.push(...(await Promise.all(rows.slice(at, at + atOnce).map((row) => this.#use(row, signal)))));
    return found;
  }

  async #use(row: SandboxRow, signal?: AbortSignal): Promise<SandboxUse> {
    const { store, clock } = this.#context;
    const { taskId, id: sandboxId, backend, state } = row;
    const [reading, diskBytes, [act]] = await Promise.all([
      this.#readings.of(row, signal),
      this.#disk.of(row.directory),
      store.history.list({ sandboxes: [sandboxId], limit: 1 }),
    ]);
    const { usedAt, expiresAt } = viewOf(row, null, clock);
    const last =
      act === undefined
        ? null
        : { command: act.command, startedAt: new Date(act.startedAt).toISOString(), outcome: act.outcome };
    return {
      taskId,
      sandboxId,
      owner: ownerOf(taskId),
      backend,
      state,
      ...reading,
      diskBytes,
      last,
      usedAt,
      expiresAt,
    };
  }
}
