/** Events of a record, over as many connections as it takes: each once, and in order. */
import { unreachableError, isAway } from './away.ts';
import type { LineObject } from './lines.ts';
import type { Ask, Wire } from './wire.ts';

export interface Following {
  /** The request of the first connection; again, while nothing has come of it. */
  readonly first: Ask;
  /** What goes on after an event of this `seq`. */
  readonly next: (after: number) => Ask;
  readonly after?: number;
  /** The last event. Absent: the stream ends by itself, in order. */
  readonly isLast?: (event: LineObject) => boolean;
  /** It has no end: what ends it was lost. */
  readonly isEndless?: boolean;
  /** `seq` is not of the whole stream: the reader leaves out what it has seen. */
  readonly ownOrder?: true;
  readonly signal?: AbortSignal | undefined;
}

/** Throws what a stream says of itself, and `unavailable` when the service stays away. */
export async function* followed(wire: Wire, how: Following): AsyncGenerator<LineObject, void, void> {
  const { first, next, after = 0, isLast, isEndless, ownOrder, signal } = how;
  const patience = wire.patience();
  const either = signal === undefined ? wire.closing : AbortSignal.any([signal, wire.closing]);
  let seen = after;
  for (;;) {
    try {
      for await (const event of wire.events(seen === after ? first : next(seen))) {
        const seq = ownOrder === true ? null : event['seq'];
        if (typeof seq === 'number' && seq <= seen) continue;
        if (typeof seq === 'number') seen = seq;
        patience.renew();
        yield event;
        if (isLast?.(event) === true) return;
      }
      if (isLast === undefined && isEndless !== true) return;
      throw unreachableError('the stream of the service ended before its end', { sent: true });
    } catch (error) {
      if (!isAway(error)) throw error;
      await patience.wait(error, either);
    }
  }
}
