/** One connection to the host, and the sessions on it. */
import type { Client, ClientCallback, ClientChannel, ExecOptions } from 'ssh2';
import { CaissonError } from '../../src/errors.ts';
import { connectionLostError } from './fault.ts';
import type { Keyring } from './identity.ts';
import { logIn } from './login.ts';
import { PreparedSession } from './prepared.ts';
import type { Target } from './target.ts';
import { endChannel, endClient } from './wire.ts';

/** How many sessions the host lets us have on one connection. Learned by all connections to it together. */
export interface Allowance {
  sessions: number;
  /** Beyond that for what must not wait: signals. */
  reserve: number;
}

/** sshd allows 10 by default (sshd_config(5): MaxSessions). */
export function defaultAllowance(): Allowance {
  return { sessions: 6, reserve: 3 };
}

const openTimeoutMs = 15_000;

/** The end of a command as the host reports it (RFC 4254, 6.10): a code, or a signal. */
export interface SessionExit {
  readonly code: number | null;
  readonly signal: string | undefined;
}

/** The server refuses another session on this connection, and nothing was started. */
export class SessionRefused extends Error {
  /** There was no other one: it has none left of an allowance of nothing, or has not cleared the last one away yet. */
  readonly alone: boolean;

  constructor(label: string, alone: boolean, cause: unknown) {
    super(`${label} refuses another session on this connection`, { cause });
    this.alone = alone;
  }
}

export class Connection {
  readonly target: Target;
  /** Sessions that are open or about to be. */
  used = 0;
  idleSince = performance.now();
  /** Why it is over; `null` while it lives. */
  fault: CaissonError | null = null;
  readonly prepared = new PreparedSession((line) => this.exec(line, {}));
  readonly #client: Client;
  readonly #allowance: Allowance;
  readonly #listeners = new Set<(fault: CaissonError) => void>();
  /** Sessions that were asked for, and neither refused nor closed. */
  #asked = 0;
  #begun = 0;
  readonly #exits = new WeakMap<ClientChannel, SessionExit>();
  #isStalled = false;

  private constructor(target: Target, client: Client, allowance: Allowance) {
    this.target = target;
    this.#client = client;
    this.#allowance = allowance;
    let cause: unknown = null;
    client.on('error', (error) => (cause = error));
    client.once('close', () => this.#end(connectionLostError(target.label, cause)));
  }

  static async open(target: Target, keyring: Keyring, allowance: Allowance): Promise<Connection> {
    return new Connection(target, await logIn(target, keyring), allowance);
  }

  free(urgent: boolean): boolean {
    const { sessions, reserve } = this.#allowance;
    return this.fault === null && !this.#isStalled && this.used < sessions + (urgent ? reserve : 0);
  }

  /** A session that stands ready must not take a place from one that is needed. At the first it is not known that a second follows. */
  prepareSpare(): void {
    this.#begun += 1;
    const hasRoom = this.used + 1 < this.#allowance.sessions;
    if (this.#begun > 1 && hasRoom && this.free(false)) this.prepared.prepareSoon();
  }

  /** Calls back once when the connection is over, at once when it is. Gives the function that takes that back. */
  onLost(listener: (fault: CaissonError) => void): () => void {
    if (this.fault !== null) listener(this.fault);
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Throws `SessionRefused`, or `unavailable` without an answer. Either way nothing was started. */
  async exec(line: string, options: ExecOptions): Promise<ClientChannel> {
    const { promise, resolve, reject } = Promise.withResolvers<ClientChannel>();
    const late = setTimeout(() => reject(this.#stalledError()), openTimeoutMs);
    const forget = this.onLost(reject);
    let isOver = false;
    try {
      if (this.fault === null)
        this.#ask(line, options, (error, channel) => {
          if (error !== undefined) reject(this.fault ?? this.#refused(error));
          else if (isOver) endChannel(channel);
          else resolve(channel);
        });
      return await promise;
    } catch (error) {
      isOver = true;
      throw error instanceof CaissonError || error instanceof SessionRefused
        ? error
        : connectionLostError(this.target.label, error);
    } finally {
      clearTimeout(late);
      forget();
    }
  }

  /** What ends at once may tell so in the same breath as it tells that it has begun: before anybody else can listen. */
  exitOf(channel: ClientChannel): SessionExit | null {
    return this.#exits.get(channel) ?? null;
  }

  close(): void {
    endClient(this.#client);
    this.#end(new CaissonError('unavailable', `the connection to ${this.target.label} was closed`));
  }

  #ask(line: string, options: ExecOptions, answer: ClientCallback): void {
    this.#asked += 1;
    const over = (): void => void (this.#asked -= 1);
    this.#client.exec(line, options, (error, channel) => {
      if (error === undefined) {
        channel.once('close', over);
        channel.once('exit', (code: number | null, signal?: string) => this.#exits.set(channel, { code, signal }));
      } else over();
      answer(error, channel);
    });
  }

  /** When several sessions are refused one after the other, the last refusal shows how many the host allows. */
  #refused(error: Error): unknown {
    if (Reflect.get(error, 'reason') === undefined) return error;
    const alone = this.#asked === 0;
    if (!alone)
      Object.assign(this.#allowance, { sessions: Math.min(this.#allowance.sessions, this.#asked), reserve: 0 });
    return new SessionRefused(this.target.label, alone, error);
  }

  /** What runs on it goes on until keepalive tells that it is dead, but nothing new is put on it. */
  #stalledError(): CaissonError {
    this.#isStalled = true;
    return connectionLostError(this.target.label, new Error(`no answer within ${openTimeoutMs} ms`));
  }

  #end(fault: CaissonError): void {
    if (this.fault !== null) return;
    this.fault = fault;
    for (const listener of this.#listeners) listener(fault);
    this.#listeners.clear();
  }
}
