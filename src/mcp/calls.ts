/**
 * What is remembered between calls, in bounded memory: under which id a command runs that waits for an answer, so that the
 * repeated call is the same exec; and commands that were answered before they had started.
 */
const max = 1000;

interface Remembered<T> {
  readonly value: T;
  readonly untilMs: number;
}

export class Calls {
  readonly #waiting = new Map<string, Remembered<string>>();
  readonly #starting = new Map<string, Remembered<Promise<unknown>>>();
  readonly #turns = new Map<string, Promise<void>>();
  readonly #rememberMs: number;

  constructor(rememberMs: number) {
    this.#rememberMs = rememberMs;
  }

  /** The exec of a call that waits for an answer. `key`: of the caller and all of the call. */
  execOf(key: string): string | null {
    return this.#recall(this.#waiting, key);
  }

  waits(key: string, execId: string): void {
    this.#keep(this.#waiting, key, execId);
  }

  settled(key: string): void {
    this.#waiting.delete(key);
  }

  /** Starts of one key go one after the other: one whose answer came twice then finds the run of the first. */
  async inTurn<T>(key: string, start: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(start);
    const over = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(key, over);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(key) === over) this.#turns.delete(key);
    }
  }

  /** A start that its caller does not wait for any more. Its failure is kept for the next call that asks for it. */
  startsLater(caller: string, execId: string, start: Promise<unknown>): void {
    const key = `${caller} ${execId}`;
    this.#keep(this.#starting, key, start);
    start.then(
      () => this.#starting.delete(key),
      () => undefined,
    );
  }

  starting(caller: string, execId: string): Promise<unknown> | null {
    return this.#recall(this.#starting, `${caller} ${execId}`);
  }

  #recall<T>(map: Map<string, Remembered<T>>, key: string): T | null {
    const found = map.get(key);
    return found === undefined || found.untilMs < performance.now() ? null : found.value;
  }

  #keep<T>(map: Map<string, Remembered<T>>, key: string, value: T): void {
    map.delete(key);
    const [oldest] = map.keys();
    if (map.size >= max && oldest !== undefined) map.delete(oldest);
    map.set(key, { value, untilMs: performance.now() + this.#rememberMs });
  }
}
