/**
 * Long synchronous work in slices. One `await` a file would cost more than the file, so the work itself is synchronous,
 * and `yieldNow` lets everything else run when a slice has taken its time. Also where a cancellation is noticed.
 */
import { abortError } from '../errors.ts';
import { turn } from '../lib/turns.ts';

const sliceMs = 20;

/** Call it once an item; await only what is not `undefined`. */
export function yieldOften(signal: AbortSignal | undefined): () => Promise<unknown> | undefined {
  let since = performance.now();
  return () => {
    if (signal?.aborted) throw abortError(signal);
    const now = performance.now();
    if (now - since < sliceMs) return undefined;
    return turn().then(() => {
      since = performance.now();
    });
  };
}
