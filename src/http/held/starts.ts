/**
 * Starts that are under way. A client that leaves before its command has started takes it back. One that only lost its connection
 * comes back under the id that it chose, and finds the same start.
 */
import { CaissonError } from '../../errors.ts';

/** For how long a client that chose an id may be gone. */
const graceMs = 5000;

interface Ends {
  /** The client is gone. */
  readonly left: AbortSignal;
  readonly closing: AbortSignal;
}

export interface Start {
  /** Fires when it is taken back. */
  readonly signal: AbortSignal;
  /** It was made, or refused: the command goes on by itself. */
  readonly over: () => void;
}

interface Pending {
  /** The client has come back: what it does now counts. */
  readonly stay: () => void;
  readonly abort: () => void;
}

export class Starts {
  readonly #pending = new Map<string, Pending>();

  /** `key`: of an id that the client chose. `null`: it cannot come back. */
  begin(key: string | null, { left, closing }: Ends): Start {
    const controller = new AbortController();
    const earlier = key === null ? undefined : this.#pending.get(key);
    earlier?.stay();
    const abort = (): void => {
      controller.abort(new CaissonError('canceled', 'the client has left, or the service stops'));
      earlier?.abort();
    };
    const stay = watching(left, abort, key === null ? 0 : graceMs);
    const stayOpen = watching(closing, abort, 0);
    const pending = { stay, abort };
    if (key !== null) this.#pending.set(key, pending);
    const over = (): void => {
      stay();
      stayOpen();
      if (key !== null && this.#pending.get(key) === pending) this.#pending.delete(key);
    };
    return { signal: controller.signal, over };
  }

  /** The client does not want it any more. */
  takeBack(key: string): void {
    this.#pending.get(key)?.abort();
  }
}

/** Acts some time after the signal, or at once. Answers what ends the watch. */
function watching(signal: AbortSignal, act: () => void, afterMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  const fire = (): void => {
    if (afterMs === 0) act();
    else timer = setTimeout(act, afterMs);
  };
  if (signal.aborted) fire();
  else signal.addEventListener('abort', fire, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', fire);
  };
}
