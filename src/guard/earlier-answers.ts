/** What was said in this process and holds for more than one command. It ends with the process. */

const mostRemembered = 1000;
/** Long enough that an agent that tries again is refused; a human may change their mind. */
const denialMs = 10 * 60_000;

const nothing: ReadonlySet<string> = new Set();

export class EarlierAnswers {
  readonly #session = new Map<string, Set<string>>();
  readonly #denied = new Map<string, number>();
  readonly #skipping = new Set<string>();

  session(taskId: string, version: string): ReadonlySet<string> {
    return this.#session.get(`${taskId} ${version}`) ?? nothing;
  }

  forSession(
    { taskId, version }: { readonly taskId: string; readonly version: string },
    keys: readonly string[],
  ): void {
    const key = `${taskId} ${version}`;
    if (this.#session.size >= mostRemembered) this.#session.clear();
    this.#session.set(key, new Set([...(this.#session.get(key) ?? []), ...keys]));
  }

  denied(binding: string): void {
    if (this.#denied.size >= mostRemembered) this.#denied.clear();
    this.#denied.set(binding, performance.now());
  }

  /** Whether this very command was refused a moment ago: it is not asked for again. */
  no(binding: string): boolean {
    const at = this.#denied.get(binding);
    return at !== undefined && performance.now() - at < denialMs;
  }

  skip(taskId: string, on: boolean): void {
    if (on) this.#skipping.add(taskId);
    else this.#skipping.delete(taskId);
  }

  skips(taskId: string): boolean {
    return this.#skipping.has(taskId);
  }
}
