import { setImmediate } from 'node:timers/promises';
import { abortError, CaissonError } from '../errors.ts';
import type { Exit } from '../values/exit.ts';
import type { SegmentCursor } from './cursor.ts';
import { openCursor } from './cursor.ts';
import type { Frame } from './frame.ts';
import { frameTypes } from './frame.ts';
import type { Entry, Segment } from './segment.ts';
import type { ReadOptions } from './types.ts';

/** What a reader asks about the world. */
export interface Source {
  readonly spillDirectory: string;
  after(segment: Segment): Promise<Segment | null>;
  isWriterAlive(segment: Segment): boolean;
  /** Resolves when there may be more, or after a while, or when the signal fires. */
  changed(signal: AbortSignal | undefined): Promise<void>;
}

/** Besides frames: the exit of an exec of this process that the disk has not taken, and the death of the writer. */
export type Step =
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'pending'; readonly exit: Exit }
  | { readonly kind: 'lost' };

/** Frames of other execs that are passed over before everybody else gets a turn. */
const restEvery = 2000;

/** The frames of one exec, through all segments of its writer, up to its exit or to the end of what is there. */
export async function* readFrames(
  entry: Entry,
  source: Source,
  { follow, signal }: ReadOptions,
): AsyncGenerator<Step, void, void> {
  if (entry.start === null)
    throw new CaissonError('unavailable', `the record of ${entry.execId} could not be written yet`);
  let { segment } = entry.start;
  let cursor = present(openCursor(segment, entry.start.offset), entry);
  // One more look after the notice that nothing more can come: it may have come just before.
  let ending: Segment | 'dead' | null = null;
  try {
    for (let passed = 1; ; passed++) {
      if (signal?.aborted === true) throw abortError(signal);
      if (passed % restEvery === 0) await setImmediate();
      const taken = cursor.next();
      if (taken !== null) {
        if (taken.frame.number !== entry.number) continue;
        // A copy: the reader may take its time, and what waits for it would keep the whole window.
        yield { kind: 'frame', frame: { ...taken.frame, payload: Buffer.from(taken.frame.payload) } };
        if (taken.frame.type === frameTypes.exit) return;
      } else if (ending === 'dead') {
        yield { kind: 'lost' };
        return;
      } else if (ending !== null) {
        cursor.close();
        segment = ending;
        ending = null;
        cursor = present(openCursor(segment, segment.first), entry);
      } else if (entry.pendingExit !== null) {
        yield { kind: 'pending', exit: entry.pendingExit };
        return;
      } else {
        const alive = source.isWriterAlive(segment);
        ending = (await source.after(segment)) ?? (alive ? null : 'dead');
        if (ending !== null) continue;
        if (follow !== true) return;
        await source.changed(signal);
      }
    }
  } finally {
    cursor.close();
  }
}

function present(cursor: SegmentCursor | null, { execId }: Entry): SegmentCursor {
  if (cursor !== null) return cursor;
  throw new CaissonError('not_found', `the record of ${execId} has expired`);
}
