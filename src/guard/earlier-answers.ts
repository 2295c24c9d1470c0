/** Refusals that are remembered, and tasks whose questions are skipped. Both end with the process. */

const maxRemembered = 1000;
/** Long enough that an agent that tries again is refused; a human may change their mind. */
const denialMs = 10 * 60_000;

export class EarlierAnswers {
  readonly #denied = new Map<string, number>();
  readonly #skipping = new Set<string>();

  denied(binding: string): void {
    if (this.#denied.size >= maxRemembered) this.#denied.clear();
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
