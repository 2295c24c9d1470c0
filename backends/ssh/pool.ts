/**
 * Places for sessions on one host: a few on each connection, more connections when these are taken, none that idles.
 *
 * Connections are opened one after the other, since sshd drops those who knock too many at once (MaxStartups). A place
 * that becomes free meanwhile goes to the caller that has waited longest.
 */
import { CaissonError, isCode, toCaissonError } from '../../src/errors.ts';
import { throwIfAborted } from '../shared/abort.ts';
import { Connection, defaultAllowance } from './connection.ts';
import { Keyring } from './identity.ts';
import type { Target } from './target.ts';

const maxConnections = 24;
const defaultIdleMs = 60_000;
/** Before another connection is tried for beside living ones, when the host did not let one in. */
const pauseMs = 500;

/** One session on a connection. Its user gives it back, once. */
export interface PooledSession {
  readonly connection: Connection;
  readonly leave: () => void;
}

export interface TakeOptions {
  readonly signal?: AbortSignal | undefined;
  /** A signal to a process must not wait for other processes to end. */
  readonly urgent: boolean;
}

interface Waiter {
  readonly urgent: boolean;
  readonly give: (place: PooledSession) => void;
  readonly fail: (error: CaissonError) => void;
}

export class Pool {
  readonly #target: () => Promise<Target>;
  readonly #connections = new Set<Connection>();
  readonly #waiters = new Set<Waiter>();
  readonly #sweeper: NodeJS.Timeout;
  readonly #allowance = defaultAllowance();
  readonly #keyring = new Keyring();
  readonly #idleMs: number;
  #isOpening = false;
  #closed = false;

  /** `idleMs`: how long an unused connection stays open. */
  constructor(target: () => Promise<Target>, idleMs = defaultIdleMs) {
    this.#target = target;
    this.#idleMs = idleMs;
    this.#sweeper = setInterval(() => this.#closeIdle(this.#idleMs), idleMs / 4).unref();
  }

  async take({ signal, urgent }: TakeOptions): Promise<PooledSession> {
    throwIfAborted({ ...(signal === undefined ? {} : { signal }) });
    const { promise, resolve, reject } = Promise.withResolvers<PooledSession>();
    const waiter: Waiter = { urgent, give: resolve, fail: reject };
    this.#waiters.add(waiter);
    const giveUp = (): void => {
      if (this.#waiters.delete(waiter)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#serve();
    try {
      return await promise;
    } catch (error) {
      if (signal !== undefined) throwIfAborted({ signal });
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /**
   * Commands that run over these connections are lost to this process, and live on. A later caller gets a connection
   * that ends as soon as it is unused.
   */
  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    for (const connection of this.#connections) connection.close();
    this.#failAll(new CaissonError('canceled', 'the ssh backend was closed'));
  }

  #serve(): void {
    for (const waiter of this.#waiters) {
      const connection = [...this.#connections].find((each) => each.free(waiter.urgent));
      if (connection === undefined) continue;
      this.#waiters.delete(waiter);
      waiter.give(this.#placeOn(connection));
    }
    if (this.#waiters.size > 0 && !this.#isOpening && this.#connections.size < maxConnections) void this.#open();
  }

  #placeOn(connection: Connection): PooledSession {
    let left = false;
    connection.used += 1;
    const leave = (): void => {
      if (left) return;
      left = true;
      connection.used -= 1;
      connection.idleSince = performance.now();
      this.#serve();
      if (this.#closed) this.#closeIdle(0);
    };
    return { connection, leave };
  }

  /**
   * Beside living connections, another one that is not let in is one too many at this moment: the caller goes on
   * waiting for a place on those, and it is tried for again.
   */
  async #open(): Promise<void> {
    this.#isOpening = true;
    try {
      this.#keep(await Connection.open(await this.#target(), this.#keyring, this.#allowance));
    } catch (error) {
      const isOneTooMany = isCode(error, 'unavailable') && this.#connections.size > 0;
      if (isOneTooMany) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      else this.#giveUp(toCaissonError(error));
    } finally {
      this.#isOpening = false;
    }
    this.#serve();
  }

  #keep(connection: Connection): void {
    this.#connections.add(connection);
    connection.onLost(() => {
      this.#connections.delete(connection);
      this.#serve();
    });
  }

  /** A change of the keys meanwhile must take effect. */
  #giveUp(error: CaissonError): void {
    this.#keyring.forget();
    this.#failAll(error);
  }

  #failAll(error: CaissonError): void {
    for (const waiter of this.#waiters) waiter.fail(error);
    this.#waiters.clear();
  }

  #closeIdle(afterMs: number): void {
    const now = performance.now();
    for (const connection of this.#connections) {
      if (connection.used === 0 && now - connection.idleSince >= afterMs) connection.close();
      else void connection.prepared.closeUnused(afterMs);
    }
  }
}
