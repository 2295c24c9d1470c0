/**
 * Watches a directory of a sandbox, in images that have a POSIX shell and no inotify: one script lists it each time it is asked,
 * and says nothing but that when nothing has changed. The reader of the events asks: one that is slow gets the sum of what has
 * changed, and one that is gone closes the stdin of the script, which ends it, also when this process was killed.
 */
import { clearTimeout, setTimeout as setTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { Process, Sandbox } from '../../backend.ts';
import { abortError, CaissonError } from '../../errors.ts';
import { scriptOf } from '../../inside/script.ts';
import type { ByteName } from '../byte-name.ts';
import { endOf, transferError, killNow, startTransfer, type Transfer } from '../transfer.ts';
import { changesBetween } from './compare.ts';
import { Answers } from './answers.ts';
import { type Answer, listingError, maxEntries, maxListingBytes } from './listing.ts';
import type { WatchEvent } from './types.ts';

export interface WatchOptions {
  /** Absolute and clean. */
  readonly path: string;
  /** Follows links, so that the path is the one that rules judged. */
  readonly real: boolean;
  readonly recursive: boolean;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** Called when the script of a watch that had begun has ended. */
  readonly onEnd?: () => void;
}

/** One look takes long where many files are. */
const timeoutMs = 60_000;
const tidyMs = 2000;

/** Throws `not_found`, `failed_precondition` when the path is not a directory, `resource_exhausted` where too much lies in it. */
export async function openWatch(sandbox: Sandbox, options: WatchOptions): Promise<AsyncIterableIterator<WatchEvent>> {
  const { path, real, recursive, signal } = options;
  const transfer = await startTransfer(sandbox, {
    script: `real=${real ? 'yes' : ''}\n${scriptOf('files/exits', 'files/enter', 'files/watch')}`,
    args: [path, recursive ? 'tree' : '', String(maxListingBytes + 1)],
    stdin: true,
    env: { CAISSON_EXEC: 'file' },
    signal,
  });
  const watch = new Watch(transfer, options);
  try {
    await watch.begin();
    return watch;
  } catch (error) {
    await watch.return();
    throw error;
  }
}

class Watch implements AsyncIterableIterator<WatchEvent> {
  readonly #transfer: Transfer;
  readonly #options: WatchOptions;
  readonly #answers: Answers;
  readonly #onAbort = (): void => {
    this.#answers.end(abortError(this.#options.signal));
    void this.return();
  };
  #facts: ReadonlyMap<ByteName, string> = new Map();
  #pending: WatchEvent[] = [];
  #lookedAt = performance.now();
  #isFull = false;
  #isOver = false;
  #ending: Promise<void> | null = null;

  constructor(transfer: Transfer, options: WatchOptions) {
    this.#transfer = transfer;
    this.#options = options;
    this.#answers = new Answers(transfer.process);
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async begin(): Promise<void> {
    const { signal, path } = this.#options;
    const answer = await this.#ask();
    if (answer?.is === 'listing') this.#facts = answer.facts;
    else if (answer?.is === 'full') throw tooManyEntriesError(path);
    else if (answer?.is === 'same') throw listingError();
    else if (answer?.is === 'gone') throw pathGoneError(path);
    else
      throw (
        transferError(await endOf(this.#transfer.process, signal), path, this.#transfer.said()) ?? pathGoneError(path)
      );
  }

  async next(): Promise<IteratorResult<WatchEvent, undefined>> {
    const { signal, intervalMs } = this.#options;
    try {
      for (;;) {
        if (signal.aborted) throw abortError(signal);
        const event = this.#pending.shift();
        if (event !== undefined) return { done: false, value: event };
        if (this.#isOver) return await this.return();
        await sleep(intervalMs - (performance.now() - this.#lookedAt), signal);
        this.#pending = [...this.#look(await this.#ask())];
      }
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isOver = true;
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    await (this.#ending ??= end(this.#transfer.process).finally(() => this.#options.onEnd?.()));
    return { done: true, value: undefined };
  }

  #look(answer: Answer | null): readonly WatchEvent[] {
    this.#lookedAt = performance.now();
    if (answer === null || answer.is === 'gone') {
      this.#isOver = true;
      return [{ type: 'end', reason: answer === null ? 'sandbox' : 'directory' }];
    }
    if (answer.is === 'same') return [];
    const wasFull = this.#isFull;
    this.#isFull = answer.is !== 'listing';
    if (answer.is !== 'listing') return wasFull ? [] : [{ type: 'overflow', missed: null }];
    const before = this.#facts;
    this.#facts = answer.facts;
    return changesBetween(before, answer.facts);
  }

  async #ask(): Promise<Answer | null> {
    const timer = setTimer(() => this.#answers.end(listTimeoutError()), timeoutMs);
    return await this.#answers.ask().finally(() => clearTimeout(timer));
  }
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(Math.max(0, ms), undefined, { signal }).catch(() => {
    throw abortError(signal);
  });
}

/** The end of its stdin ends the script. */
async function end(process: Process): Promise<void> {
  process.stdin?.end();
  process.stdout.resume();
  const ended = process.wait().then(
    () => true,
    () => true,
  );
  // Destroyed: what came was a lie.
  const isTidy = !process.stdout.destroyed && (await Promise.race([ended, setTimeout(tidyMs, false, { ref: false })]));
  if (!isTidy) await killNow(process);
  process.release();
}

function listTimeoutError(): CaissonError {
  return new CaissonError('timed_out', `the sandbox did not list the directory within ${timeoutMs / 1000} seconds`, {
    remedy: 'watch a smaller directory',
  });
}

function tooManyEntriesError(path: string): CaissonError {
  return new CaissonError('resource_exhausted', `more than ${maxEntries} entries lie in ${path}`, {
    details: { path },
    remedy: 'watch a directory below it, or watch it without what lies in its directories',
  });
}

function pathGoneError(path: string): CaissonError {
  return new CaissonError('not_found', `${path} is not there in the sandbox any more`, { remedy: 'check the path' });
}
