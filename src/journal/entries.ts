import { setImmediate } from 'node:timers/promises';
import type { Records, RecordRow } from '../store/records.ts';
import type { Entry, FramePosition, Segment } from './segment.ts';
import type { Segments } from './segments.ts';
import { storedEntry } from './stored.ts';

/** Entries that are read before others get a turn. */
const restEvery = 50;

/** Execs by id, from memory while something of them is on its way to the disk, and from their rows afterwards. */
export class Entries {
  readonly #records: Records;
  readonly #segments: Segments;
  /** Those of this process that run, or that the disk has not taken wholly: what it lacks is known here alone. */
  readonly #unsettled = new Map<string, Entry>();

  constructor(records: Records, segments: Segments) {
    this.#records = records;
    this.#segments = segments;
  }

  add(entry: Entry): void {
    this.#unsettled.set(entry.execId, entry);
  }

  begun({ execId, taskId, sandboxId, startedAt }: Entry, start: FramePosition, backend: string): void {
    this.#records.begun({ execId, taskId, sandboxId, startedAt, start, backend });
  }

  ended({ execId }: Entry, exit: FramePosition): void {
    this.#records.ended(execId, exit);
    this.#unsettled.delete(execId);
  }

  unsettled(): readonly Entry[] {
    return [...this.#unsettled.values()];
  }

  isUnsettled(execId: string): boolean {
    return this.#unsettled.has(execId);
  }

  async find(execId: string): Promise<Entry | null> {
    const own = this.#unsettled.get(execId);
    if (own !== undefined) return own;
    const row = await this.#records.find(execId);
    return row === null ? null : await this.#stored(row);
  }

  /** What is no longer readable is left out. */
  async of(rows: readonly RecordRow[]): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (const [at, row] of rows.entries()) {
      if (at % restEvery === restEvery - 1) await setImmediate();
      const entry = this.#unsettled.get(row.execId) ?? (await this.#stored(row));
      if (entry !== null) entries.push(entry);
    }
    return entries;
  }

  async #stored(row: RecordRow): Promise<Entry | null> {
    const parseSegment = (name: string): Segment | null => this.#segments.named(name);
    const entry = storedEntry(row, parseSegment);
    if (entry?.start == null || row.last !== null || this.#segments.isWriterAlive(entry.start.segment)) return entry;
    // Its writer died just now, perhaps after it had written the end.
    await this.#segments.refresh();
    const again = await this.#records.find(row.execId);
    if (again === null || again.last !== null) return again === null ? null : storedEntry(again, parseSegment);
    entry.last = entry.start;
    return entry;
  }
}
