/**
 * Whose turn it is in one place. Of the owners that wait, the one with the least at work is next, and of equals the one that was
 * served longest ago. Removals are next when no owner waits, or when they have waited for too long.
 */
import { chooseNext } from '../budget/order.ts';
import { operator } from '../values/caller.ts';

/** How long owners may go before a removal. */
const removalTimeoutMs = 10_000;

interface Waiter {
  readonly amount: 1;
  readonly go: () => void;
}

interface Account {
  readonly owner: string;
  used: number;
  readonly waiting: Waiter[];
}

/** Gives the turn back. */
export type Done = () => void;

export class Turns {
  readonly #max: number;
  /** In the order in which they were last served. An owner with nothing at work and nothing that waits has none. */
  readonly #accounts = new Map<string, Account>();
  readonly #removals: { readonly since: number; readonly go: () => void }[] = [];
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return [...this.#accounts.values()].reduce((sum, { waiting }) => sum + waiting.length, this.#removals.length);
  }

  /** Rejects with the signal's reason when it fires before the turn has come. */
  async take(owner: string, signal?: AbortSignal): Promise<Done> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const account = this.#account(owner);
    const waiter: Waiter = { amount: 1, go: () => resolve(undefined) };
    const leave = (): void => {
      const at = account.waiting.indexOf(waiter);
      if (at < 0) return;
      account.waiting.splice(at, 1);
      this.#forget(account);
      reject(signal?.reason);
    };
    account.waiting.push(waiter);
    this.#serve();
    signal?.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', leave));
    return () => this.#end(account);
  }

  async takeLast(): Promise<Done> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#removals.push({ since: performance.now(), go: () => resolve(undefined) });
    this.#serve();
    await promise;
    return () => this.#end(null);
  }

  #end(account: Account | null): void {
    this.#running--;
    if (account !== null) {
      account.used--;
      this.#forget(account);
    }
    this.#serve();
  }

  #serve(): void {
    while (this.#running < this.#max) {
      const go = this.#next();
      if (go === undefined) return;
      this.#running++;
      go();
    }
  }

  #next(): (() => void) | undefined {
    const [removal] = this.#removals;
    if (removal !== undefined && performance.now() - removal.since >= removalTimeoutMs)
      return this.#removals.shift()?.go;
    const owner = chooseNext([...this.#accounts.values()], 1, (name) => this.#maxOf(name));
    return owner === null ? this.#removals.shift()?.go : this.#begin(this.#account(owner));
  }

  #begin(account: Account): (() => void) | undefined {
    account.used++;
    // The owner that was served becomes the last among owners with as much at work.
    this.#accounts.delete(account.owner);
    this.#accounts.set(account.owner, account);
    return account.waiting.shift()?.go;
  }

  /** One turn is left for others, as a creation may take minutes. */
  #maxOf(owner: string): number {
    return owner === operator ? this.#max : Math.max(1, this.#max - 1);
  }

  #account(owner: string): Account {
    const known = this.#accounts.get(owner);
    if (known !== undefined) return known;
    const account: Account = { owner, used: 0, waiting: [] };
    this.#accounts.set(owner, account);
    return account;
  }

  #forget(account: Account): void {
    if (account.used === 0 && account.waiting.length === 0 && this.#accounts.get(account.owner) === account)
      this.#accounts.delete(account.owner);
  }
}
