/** One budget of this process: what owners hold of it, and what waits for it. */
import { abortError } from '../errors.ts';
import { operator } from '../values/caller.ts';
import { chooseNext, orUnlimited } from './order.ts';
import { budgetExhaustedError } from './refusal.ts';
import type { Budget, BudgetFigures, BudgetName, Limits, Reason, Share, Wait } from './types.ts';

/** Requests of one owner that wait. */
export const maxWaiting = 256;

interface Waiter {
  readonly amount: number;
  readonly go: (share: Share) => void;
}

interface Account {
  readonly owner: string;
  used: number;
  readonly waiting: Waiter[];
}

export class HeldBudget implements Budget {
  readonly #name: BudgetName;
  /** Read at each call: the configuration may be read again. */
  readonly #limits: () => Limits;
  /** In the order in which they were last served. An owner that holds nothing and waits for nothing has none. */
  readonly #accounts = new Map<string, Account>();
  readonly #refused: Record<Reason, number> = { owner: 0, total: 0, waiting: 0 };
  #lastRefused: { readonly owner: string; readonly at: number } | null = null;
  #used = 0;

  constructor(name: BudgetName, limits: () => Limits) {
    this.#name = name;
    this.#limits = limits;
  }

  take(owner: string, amount = 1): Share {
    this.#check(owner, amount);
    return this.#give(owner, amount);
  }

  async wait(owner: string, { amount = 1, signal }: Wait = {}): Promise<Share> {
    if (signal?.aborted === true) throw abortError(signal);
    const max = Math.min(this.#maxOf(owner), this.#total());
    if (amount > max) throw this.#refusalError(owner, amount, this.#maxOf(owner) < this.#total() ? 'owner' : 'total');
    const account = this.#account(owner);
    if (account.waiting.length >= maxWaiting) throw this.#refusalError(owner, amount, 'waiting');
    const { promise, resolve } = Promise.withResolvers<Share>();
    const waiter: Waiter = { amount, go: resolve };
    account.waiting.push(waiter);
    this.#serve();
    return await this.#unless(promise, { account, waiter, signal });
  }

  figures(): BudgetFigures {
    const accounts = [...this.#accounts.values()];
    const largest = accounts.reduce<Account | null>((max, each) => (each.used > (max?.used ?? 0) ? each : max), null);
    const last = this.#lastRefused;
    return {
      name: this.#name,
      ...this.#limits(),
      used: this.#used,
      waiting: accounts.reduce((sum, { waiting }) => sum + waiting.length, 0),
      refused: { ...this.#refused },
      largest: largest === null ? null : { owner: largest.owner, used: largest.used },
      lastRefused: last === null ? null : { owner: last.owner, agoMs: Math.round(performance.now() - last.at) },
    };
  }

  #give(owner: string, amount: number): Share {
    const account = this.#account(owner);
    let held = 0;
    const add = (more: number): void => {
      held += more;
      account.used += more;
      this.#used += more;
    };
    add(amount);
    let isFree = false;
    const grow = (more: number): void => {
      this.#check(owner, more);
      if (!isFree) add(more);
    };
    return {
      get amount() {
        return held;
      },
      grow,
      resize: (wanted) => {
        if (wanted > held) return grow(wanted - held);
        if (!isFree) add(wanted - held);
        this.#serve();
      },
      free: () => {
        isFree = true;
        add(-held);
        this.#forget(account);
        this.#serve();
      },
    };
  }

  /** Gives to those that wait what is free. */
  #serve(): void {
    for (;;) {
      const next = chooseNext([...this.#accounts.values()], this.#total() - this.#used, (owner) => this.#maxOf(owner));
      const account = next === null ? undefined : this.#accounts.get(next);
      const waiter = account?.waiting.shift();
      if (account === undefined || waiter === undefined) return;
      // The owner that was served is now the last of those that hold as much.
      this.#accounts.delete(account.owner);
      this.#accounts.set(account.owner, account);
      waiter.go(this.#give(account.owner, waiter.amount));
    }
  }

  async #unless(
    share: Promise<Share>,
    { account, waiter, signal }: { account: Account; waiter: Waiter; signal: AbortSignal | undefined },
  ): Promise<Share> {
    if (signal === undefined) return await share;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = (): void => {
      const at = account.waiting.indexOf(waiter);
      if (at < 0) return;
      account.waiting.splice(at, 1);
      this.#forget(account);
      reject(abortError(signal));
      // It may have held up others.
      this.#serve();
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([share, left]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #check(owner: string, amount: number): void {
    const used = this.#accounts.get(owner)?.used ?? 0;
    if (used + amount > this.#maxOf(owner)) throw this.#refusalError(owner, amount, 'owner');
    if (this.#used + amount > this.#total()) throw this.#refusalError(owner, amount, 'total');
  }

  #refusalError(owner: string, amount: number, reason: Reason): Error {
    this.#refused[reason] += 1;
    this.#lastRefused = { owner, at: performance.now() };
    const account = this.#accounts.get(owner);
    const limits = { owner: this.#maxOf(owner), total: this.#total(), waiting: maxWaiting };
    return budgetExhaustedError({
      budget: this.#name,
      reason,
      owner,
      used: account?.used ?? 0,
      amount,
      max: limits[reason],
    });
  }

  #total(): number {
    return orUnlimited(this.#limits().total);
  }

  #maxOf(owner: string): number {
    return owner === operator ? this.#total() : orUnlimited(this.#limits().perOwner);
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
