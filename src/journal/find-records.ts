/** Reads segments of which the store does not know all, and gives it the places of their records. */
import { setImmediate } from 'node:timers/promises';
import type { FoundRecord, Records } from '../store/records.ts';
import { openCursor } from './cursor.ts';
import { Learner } from './learner.ts';
import { decodeStarted } from './payload.ts';
import type { Entry, Segment } from './segment.ts';

const sliceBytes = 1024 * 1024;

/** One writer's segments, in order. `isClosed`: the writer is dead, so that nothing more can come. */
export async function findRecords(
  records: Pick<Records, 'found' | 'complete'>,
  segments: readonly Segment[],
  isClosed: boolean,
): Promise<void> {
  const finder = new Finder(records);
  for (const segment of segments) await finder.read(segment, segment.first);
  if (!isClosed) return;
  await finder.close();
  records.complete(segments.map(({ name }) => name));
}

/** The segments of a live writer elsewhere, whose rows follow its frames some milliseconds later. Each look reads what has come since. */
export class Tail {
  readonly #finder: Finder;
  #n = -1;
  #offset = 0;

  constructor(records: Pick<Records, 'found'>) {
    this.#finder = new Finder(records);
  }

  /** In order. */
  async read(segments: readonly Segment[]): Promise<void> {
    for (const segment of segments) {
      if (segment.n < this.#n) continue;
      this.#offset = await this.#finder.read(segment, segment.n === this.#n ? this.#offset : segment.first);
      this.#n = segment.n;
    }
  }
}

class Finder {
  readonly #records: Pick<Records, 'found'>;
  readonly #learner = new Learner();
  /** Begun or ended in this slice. */
  readonly #changed = new Set<Entry>();
  readonly #backends = new Map<Entry, () => string>();
  readonly #open = new Set<Entry>();

  constructor(records: Pick<Records, 'found'>) {
    this.#records = records;
  }

  /** Gives the place behind the last frame that was read. */
  async read(segment: Segment, from: number): Promise<number> {
    const cursor = openCursor(segment, from);
    if (cursor === null) return from;
    try {
      let pauseAt = from + sliceBytes;
      for (let taken = cursor.next(); taken !== null; taken = cursor.next()) {
        const learned = this.#learner.learn(segment, taken);
        if (learned !== null) this.#take(learned.entry, learned.is, taken.frame.payload);
        if (cursor.offset < pauseAt) continue;
        pauseAt = cursor.offset + sliceBytes;
        await this.#write();
        await setImmediate();
      }
    } finally {
      cursor.close();
    }
    await this.#write();
    return cursor.offset;
  }

  /** What has no end by now has none: its last frame stands for it. */
  async close(): Promise<void> {
    for (const entry of this.#open) {
      entry.exit = entry.last;
      this.#changed.add(entry);
    }
    await this.#write();
  }

  #take(entry: Entry, is: 'started' | 'going' | 'ended' | 'voided', payload: Buffer): void {
    if (is === 'going') return;
    if (is === 'started') {
      const copy = Buffer.from(payload);
      this.#backends.set(entry, () => decodeStarted(copy)?.where.backend ?? '');
      this.#open.add(entry);
    } else this.#open.delete(entry);
    if (is === 'voided') this.#changed.delete(entry);
    else this.#changed.add(entry);
  }

  async #write(): Promise<void> {
    const found = [...this.#changed].flatMap((entry) => this.#foundOf(entry));
    this.#changed.clear();
    for (const entry of this.#backends.keys()) if (!this.#open.has(entry)) this.#backends.delete(entry);
    if (found.length > 0) await this.#records.found(found);
  }

  #foundOf(entry: Entry): readonly FoundRecord[] {
    const { execId, taskId, sandboxId, startedAt, start, exit } = entry;
    if (start === null) return [];
    const backend = this.#backends.get(entry) ?? (() => '');
    return [{ execId, taskId, sandboxId, startedAt, start, last: exit, backend }];
  }
}
