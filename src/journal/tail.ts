/** The last bytes of each stream of a record: where they begin, and what is left out before. */
import type { ExecEvent, StreamName } from '../values/exec-event.ts';
import { readFrames, type Source } from './frames.ts';
import type { Position } from './gaps.ts';
import { bytesIn } from './payload.ts';
import type { Entry } from './segment.ts';
import type { ReadOptions } from './types.ts';

type Beginnings = Readonly<Record<StreamName, number>>;

interface Piece {
  readonly stream: StreamName;
  /** In the whole of the stream. */
  readonly offset: number;
  readonly length: number;
}

interface Part {
  /** Bytes at the beginning of the piece that are left out. */
  readonly skip: number;
  /** Bytes of the gap that stands for all that is left out of the stream. 0: it stands elsewhere, or nothing is. */
  readonly gap: number;
}

/**
 * Pieces before the beginning are left out. The first of them gives its number to the gap, so that a reader who goes on from any number
 * has missed nothing; without one, the piece in which the beginning lies comes whole.
 */
export class Tail {
  readonly #from: Beginnings;
  readonly #announced = new Set<StreamName>();

  constructor(from: Beginnings) {
    this.#from = from;
  }

  of({ stream, offset, length }: Piece): Part {
    const from = this.#from[stream];
    const isAnnounced = this.#announced.has(stream);
    if (offset + length > from) return { skip: isAnnounced ? Math.max(0, from - offset) : 0, gap: 0 };
    this.#announced.add(stream);
    return { skip: length, gap: isAnnounced ? 0 : from };
  }
}

/** The end of a stream is that of its last bytes on record: what came later and is not kept is a gap behind them. */
export async function tailOf(entry: Entry, source: Source, { tailBytes, signal }: ReadOptions): Promise<Tail> {
  const from = { stdout: 0, stderr: 0 };
  if (tailBytes === undefined) return new Tail(from);
  for await (const step of readFrames(entry, source, signal === undefined ? {} : { signal })) {
    if (step.kind !== 'frame') break;
    for (const stream of ['stdout', 'stderr'] as const) {
      const bytes = bytesIn(step.frame, stream);
      if (bytes > 0) from[stream] = Math.max(0, step.frame[`${stream}Offset`] + bytes - tailBytes);
    }
  }
  return new Tail(from);
}

/** `null`: another gap stands for it. */
export function gapWithin(tail: Tail, gap: ExecEvent, before: Position): ExecEvent | null {
  if (gap.event.type !== 'gap') return gap;
  const { stream, bytes: length } = gap.event;
  const part = tail.of({ stream, offset: before[stream], length });
  const bytes = part.gap > 0 ? part.gap : length - part.skip;
  return bytes === 0 ? null : { ...gap, event: { type: 'gap', stream, bytes } };
}
