/** Entries as the frames of segments make them, in the order of the frames. */
import type { Positioned } from './cursor.ts';
import { frameTypes } from './frame.ts';
import { bytesIn, decodeIndex } from './payload.ts';
import type { Entry, Segment } from './segment.ts';

/** What a frame did to an entry. `voided`: its writer took it back. */
export interface Learned {
  readonly entry: Entry;
  readonly is: 'started' | 'going' | 'ended' | 'voided';
}

export class Learner {
  /** Execs whose end was not seen yet, by writer and number. */
  readonly #open = new Map<string, Map<number, Entry>>();

  /** `null`: the frame belongs to no exec whose start was seen. */
  learn(segment: Segment, { frame, offset }: Positioned): Learned | null {
    const open = this.#openOf(segment.writer);
    if (frame.type === frameTypes.started) {
      const ids = decodeIndex(frame.payload);
      if (ids === null) return null;
      const entry = entryOf({ ...ids, writer: segment.writer, number: frame.number, startedAt: frame.time });
      entry.start = { segment, offset };
      entry.last = entry.start;
      open.set(frame.number, entry);
      return { entry, is: 'started' };
    }
    const entry = open.get(frame.number);
    if (entry === undefined) return null;
    entry.last = { segment, offset };
    entry.lastAt = frame.time;
    entry.stdoutBytes = frame.stdoutOffset + bytesIn(frame, 'stdout');
    entry.stderrBytes = frame.stderrOffset + bytesIn(frame, 'stderr');
    if (frame.type !== frameTypes.exit && frame.type !== frameTypes.voided) return { entry, is: 'going' };
    open.delete(frame.number);
    if (frame.type === frameTypes.voided) return { entry, is: 'voided' };
    entry.exit = { segment, offset };
    return { entry, is: 'ended' };
  }

  /** Execs of the writer whose end was not seen. */
  open(writer: string): readonly Entry[] {
    return [...this.#openOf(writer).values()];
  }

  #openOf(writer: string): Map<number, Entry> {
    const known = this.#open.get(writer) ?? new Map<number, Entry>();
    this.#open.set(writer, known);
    return known;
  }
}

export function entryOf(
  known: Pick<Entry, 'execId' | 'sandboxId' | 'taskId' | 'writer' | 'number' | 'startedAt'>,
): Entry {
  return {
    ...known,
    start: null,
    exit: null,
    last: null,
    pendingExit: null,
    lastAt: known.startedAt,
    stdoutBytes: 0,
    stderrBytes: 0,
  };
}
