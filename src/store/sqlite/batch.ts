/** Writes that can wait some milliseconds, in one transaction: one for each would cost more than a short command. */
import type { DatabaseSync } from 'node:sqlite';
import { immediate } from './connection.ts';
import { databaseError } from './soundness.ts';

const batchMs = 25;
/** A process that never waits gets to its timers late; what it adds meanwhile must not grow without bound. */
const maxPending = 1_000;

export class Batch {
  readonly #db: DatabaseSync;
  #pending: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;
  /** Writes that failed since the last one that did not. */
  #missed = 0;
  #failures = 0;
  #whenFailed = (): void => {};

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  onFailed(listener: () => void): void {
    this.#whenFailed = listener;
  }

  /** How many batches could not be written so far. */
  get failures(): number {
    return this.#failures;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  add(write: () => void): void {
    if (this.#pending.length >= maxPending) this.flush();
    this.#pending.push(write);
    this.#timer ??= setTimeout(() => this.flush(), batchMs).unref();
  }

  /** Never throws: a full disk, or a database that is busy for long, must not end a command. */
  flush(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    const writes = this.#pending;
    this.#pending = [];
    if (writes.length === 0) return;
    this.#write(writes);
  }

  #write(writes: readonly (() => void)[]): void {
    try {
      immediate(this.#db, () => writes.forEach((write) => write()));
      this.#recovered();
    } catch (error) {
      this.#failed(error, writes.length);
    }
  }

  /** Once, and not for each batch: a disk may be full for hours. */
  #failed(error: unknown, count: number): void {
    if (this.#missed === 0) {
      const { message } = databaseError(this.#db, error, 'record starts and ends of commands');
      warn(`${message}; events of them are missing until that is put right`);
    }
    this.#missed += count;
    this.#failures++;
    this.#whenFailed();
  }

  #recovered(): void {
    if (this.#missed > 0) warn(`${this.#missed} starts and ends of commands have no event: they could not be written`);
    this.#missed = 0;
  }
}

/** To the stderr of a service, or to whom a program that uses the library listens to its warnings with. */
function warn(message: string): void {
  process.emitWarning(message, 'CaissonWarning');
}
