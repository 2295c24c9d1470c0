/**
 * Keeps the pool as the configuration wants it: makes members that are missing, behind the callers that wait, and removes those that no
 * entry wants. One process at a time works on the pool of a state directory.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CaissonError, toCaissonError } from '../errors.ts';
import { actingAs, itself } from '../lib/author.ts';
import type { Context } from '../sandbox/context.ts';
import type { SandboxRow } from '../store/store.ts';
import { backOffMs } from './back-off.ts';
import { drain, membersIn } from './drain.ts';
import type { Entry } from './entries.ts';
import { fillOne } from './fill.ts';
import { forgetTaken } from './taken.ts';
import { membersOf, sizeWithin, unwanted } from './want.ts';

/** The first command of a task that has claimed a member is over by then, as a rule: making another one would slow it down. */
const afterClaimMs = 100;
/** A look for members that ended by age and for images that have changed. */
const lookEveryMs = 15_000;
const lease = 'pool';
/** Members of one entry that are made at the same time, as far as the gate lets them. */
const atOnce = 2;

interface FillerParts {
  readonly context: Context;
  /** Names of all entries, and a reading of each, which throws where its members cannot be planned. */
  readonly entries: () => readonly { readonly name: string; readonly read: () => Promise<Entry> }[];
}

interface Failing {
  readonly failures: number;
  readonly error: CaissonError;
  /** Moment by `performance.now()` from which it is tried again. */
  readonly untilMs: number;
}

export class Filler {
  readonly #parts: FillerParts;
  readonly #failing = new Map<string, Failing>();
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> = Promise.resolve();
  #isWaiting = false;
  readonly #stopping = new AbortController();

  constructor(parts: FillerParts) {
    this.#parts = parts;
  }

  /** Rounds follow one another from now on. */
  start(): void {
    this.#timer ??= setInterval(() => this.wake(), lookEveryMs).unref();
    this.wake();
  }

  /** A round soon, where rounds go on: a member has been claimed. Those that come while one waits are the same. */
  wake(): void {
    if (this.#timer === null || this.#isWaiting || this.#isStopped) return;
    this.#isWaiting = true;
    this.#working = this.#working
      .then(() => this.#pause())
      .then(() => {
        this.#isWaiting = false;
        return this.round();
      })
      .catch(() => undefined); // a store that cannot be read now: the next round tries again
  }

  async #pause(): Promise<void> {
    await sleep(afterClaimMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined); // it stops: no round follows
  }

  /** Why the last member of an entry could not be made. */
  failureOf(entry: string): CaissonError | null {
    return this.#failing.get(entry)?.error ?? null;
  }

  /** Does what is missing. Entries that failed a while ago are left alone for now. */
  async round(): Promise<void> {
    const { leases } = this.#parts.context.store;
    if (this.#isStopped || (await this.#isIdle()) || !(await leases.acquire(lease))) return;
    try {
      await actingAs(itself('pool', null), () => this.#work());
    } finally {
      await leases.release(lease);
    }
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** A service without a pool writes nothing for it. */
  async #isIdle(): Promise<boolean> {
    const { context, entries } = this.#parts;
    return entries().length === 0 && (await context.store.sandboxes.list({ members: true, limit: 1 })).length === 0;
  }

  /** No member is made any more when this resolves. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { context } = this.#parts;
    const { entries, unread } = await this.#read();
    await forgetTaken(context);
    const rows = await membersIn(context);
    // What cannot be planned now, such as on an engine that is down, is not unwanted.
    const known = rows.filter(({ pool }) => !unread.has(pool?.entry ?? ''));
    await drain(context, rowsOf(known, unwanted(wantedOf(entries), known)));
    await Promise.all(entries.map((entry) => this.#fill(entry, rows)));
  }

  async #read(): Promise<{ readonly entries: readonly Entry[]; readonly unread: ReadonlySet<string> }> {
    const unread = new Set<string>();
    const read = this.#parts.entries().map(async ({ name, read: readEntry }) => {
      try {
        return [await readEntry()];
      } catch (error) {
        unread.add(name);
        this.#fail(name, error);
        return [];
      }
    });
    return { entries: (await Promise.all(read)).flat(), unread };
  }

  async #fill(entry: Entry, rows: readonly SandboxRow[]): Promise<void> {
    const { wanted } = entry;
    if (performance.now() < (this.#failing.get(wanted.entry)?.untilMs ?? -Infinity)) return;
    const missing = sizeWithin(wanted) - membersOf(wanted, rows).length;
    if (missing <= 0) return;
    const failure = await this.#make(entry, missing);
    if (failure === null) this.#failing.delete(wanted.entry);
    else this.#fail(wanted.entry, failure.reason);
  }

  /** `null`: all are there. After a failure no other is begun, and those that are being made come to their end. */
  async #make(entry: Entry, missing: number): Promise<{ readonly reason: unknown } | null> {
    const progress: { left: number; failure: { readonly reason: unknown } | null } = { left: missing, failure: null };
    const make = async (): Promise<void> => {
      while (progress.left > 0 && progress.failure === null && !this.#isStopped) {
        progress.left -= 1;
        await fillOne(this.#parts.context, entry).catch((reason: unknown) => (progress.failure = { reason }));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, make));
    return progress.failure;
  }

  #fail(name: string, error: unknown): void {
    const failures = (this.#failing.get(name)?.failures ?? 0) + 1;
    this.#failing.set(name, {
      failures,
      error: toCaissonError(error),
      untilMs: performance.now() + backOffMs(failures),
    });
  }
}

const wantedOf = (entries: readonly Entry[]) => entries.map(({ wanted }) => wanted);

function rowsOf(rows: readonly SandboxRow[], chosen: readonly { readonly id: string }[]): readonly SandboxRow[] {
  const ids = new Set(chosen.map(({ id }) => id));
  return rows.filter(({ id }) => ids.has(id));
}
