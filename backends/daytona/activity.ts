/** Tells the service that the sandbox is in use: a command that is silent for long does not count there. */
const everyMs = 4 * 60_000;

export class Activity {
  readonly #refresh: () => Promise<void>;
  #running = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(refresh: () => Promise<void>) {
    this.#refresh = refresh;
  }

  during(process: Promise<unknown>): void {
    this.#running += 1;
    this.#timer ??= setInterval(() => void this.#refresh().catch(() => undefined), everyMs).unref();
    const over = (): void => {
      this.#running -= 1;
      if (this.#running > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
    process.then(over, over);
  }
}
