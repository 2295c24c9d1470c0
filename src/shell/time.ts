/**
 * The time of one decision, over all texts that it reads. It is processor time of this thread, so that a busy host changes no
 * verdict.
 */
import { fullReadingMs, readingMs } from './limits.ts';

export class DecisionTime {
  readonly #from = process.threadCpuUsage();
  #cut = false;

  /** What is read now is read without the grammar. */
  get isShort(): boolean {
    return this.#beyond(fullReadingMs);
  }

  /** What is not read yet is not read any more. */
  get isOver(): boolean {
    return this.#beyond(readingMs);
  }

  /** Something was left out for want of time. */
  get wasCut(): boolean {
    return this.#cut;
  }

  #beyond(ms: number): boolean {
    const { user, system } = process.threadCpuUsage(this.#from);
    const isBeyond = user + system > ms * 1000;
    this.#cut ||= isBeyond;
    return isBeyond;
  }
}
