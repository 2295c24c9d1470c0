/** A source of events, ended where the service stops: its last event says where to go on. */
import { abortError, toCaissonError } from '../../errors.ts';
import { problemOf } from '../problems.ts';
import type { StreamEvent } from './framing.ts';

interface Ends {
  /** The client is gone. */
  readonly signal: AbortSignal;
  readonly closing: AbortSignal;
  readonly after: number;
  readonly requestId: string;
}

/**
 * `open` is given a signal that fires when the reader is gone. What fails after the first byte was sent is an event: a
 * stream without `exit`, `error` or `closing` was cut.
 */
export async function* untilClosing(
  open: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
  { signal, closing, after, requestId }: Ends,
): AsyncGenerator<StreamEvent, void, void> {
  let seq = after;
  const either = AbortSignal.any([signal, closing]);
  try {
    for await (const event of open(either)) {
      if (typeof event['seq'] === 'number') seq = event['seq'];
      yield event;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (closing.aborted) yield { type: 'closing', resumeAfter: seq === 0 ? null : seq };
    else yield { type: 'error', error: problemOf(toCaissonError(error), requestId) };
  }
}

/** Rejects when the signal fires; the work goes on by itself then. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(abortError(signal));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
