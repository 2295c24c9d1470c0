/** How long the client tries again after it has lost the service, and when. */
import { abortError } from '../../errors.ts';

const firstMs = 100;
const maxMs = 2000;

export class Patience {
  readonly #limitMs: number;
  #since: number | null = null;
  #failures = 0;

  /** `limitMs`: from the first failure to the last attempt. 0: it does not try again. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Something has come since. */
  renew(): void {
    this.#since = null;
    this.#failures = 0;
  }

  /** Waits before the next attempt. Throws the error when the time is over, and when the signal fires. */
  async wait(error: unknown, signal: AbortSignal | undefined): Promise<void> {
    const now = performance.now();
    this.#since ??= now;
    const leftMs = this.#limitMs - (now - this.#since);
    if (leftMs <= 0) throw error;
    const delayMs = Math.min(delayOf(this.#failures, Math.random()), leftMs);
    this.#failures += 1;
    await pause(delayMs, signal);
  }
}

/** Doubled each time, up to two seconds, less a random part: clients that lost one service do not come back together. */
export function delayOf(failures: number, random: number): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 10));
  return fullMs * (1 - random / 2);
}

/** Throws when the signal fires. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  checkAborted(signal);
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = (): void => resolve();
  signal?.addEventListener('abort', stop, { once: true });
  await promise;
  signal?.removeEventListener('abort', stop);
  clearTimeout(timer);
  checkAborted(signal);
}

export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError(signal);
}
