/** How many connections of each task were denied within the last minute, counted by steps of five seconds: bounded, however many come. */
const stepMs = 5000;
const steps = 12;

export class Denials {
  /** Counts of a task by the number of their step. */
  readonly #counts = new Map<string, Map<number, number>>();

  add(task: string, count: number, atMs: number): void {
    const step = Math.floor(atMs / stepMs);
    const counts = this.#counts.get(task) ?? new Map<number, number>();
    this.#counts.set(task, counts);
    counts.set(step, (counts.get(step) ?? 0) + count);
    for (const each of counts.keys()) if (each <= step - steps) counts.delete(each);
  }

  of(task: string, nowMs: number): number {
    const now = Math.floor(nowMs / stepMs);
    let sum = 0;
    for (const [step, count] of this.#counts.get(task) ?? []) if (step > now - steps && step <= now) sum += count;
    return sum;
  }

  /** Takes out tasks without any. */
  forget(nowMs: number): void {
    for (const task of this.#counts.keys()) if (this.of(task, nowMs) === 0) this.#counts.delete(task);
  }
}
