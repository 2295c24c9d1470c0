/** Stops waiting the moment a signal fires. */
import type { Cancelable } from '../../src/backend.ts';
import { abortError } from '../../src/errors.ts';

export function throwIfAborted({ signal }: Cancelable): void {
  if (signal?.aborted) throw abortError(signal);
}

/** The work itself goes on; `late` gets its result when the caller no longer waits. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  late: (value: T) => void = () => {},
): Promise<T> {
  if (signal === undefined) return await work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => {
    // A failure without a waiter is not reported.
    work.then(late, () => {});
    reject(abortError(signal));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
