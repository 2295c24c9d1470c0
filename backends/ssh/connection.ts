/** One connection to the host, and the sessions on it. */
import type { Client, ClientCallback, ClientChannel, ConnectConfig, ExecOptions } from 'ssh2';
import { CaissonError } from '../../src/errors.ts';
import { connectFault, lost } from './fault.ts';
import { type HostKeys, openHostKeys } from './host-keys.ts';
import type { Method } from './identity.ts';
import type { Target } from './target.ts';

/** How many sessions the host lets us have on one connection. Learned by all connections to it together. */
export interface Allowance {
  sessions: number;
  /** Beyond that for what must not wait: signals. */
  reserve: number;
}

/** sshd allows 10 unless told otherwise (sshd_config(5): MaxSessions). */
export function usualAllowance(): Allowance {
  return { sessions: 6, reserve: 3 };
}

const readyTimeoutMs = 20_000;
const openTimeoutMs = 15_000;
const keepaliveMs = 15_000;
const farewellMs = 1000;
const mostMissedKeepalives = 3;

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
  readonly #client: Client;
  readonly #allowance: Allowance;
  readonly #listeners = new Set<(fault: CaissonError) => void>();
  /** Sessions that were asked for, and neither refused nor closed. */
  #asked = 0;
  #isStalled = false;

  private constructor(target: Target, client: Client, allowance: Allowance) {
    this.target = target;
    this.#client = client;
    this.#allowance = allowance;
    let cause: unknown = null;
    client.on('error', (error) => (cause = error));
    client.once('close', () => this.#end(lost(target.label, cause)));
  }

  static async open(target: Target, authHandler: Method[], allowance: Allowance): Promise<Connection> {
    const [{ default: ssh2 }, hostKeys] = await Promise.all([import('ssh2'), openHostKeys(target)]);
    const client = new ssh2.Client();
    const config: ConnectConfig = { ...configFor(target, hostKeys), authHandler };
    return await new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        client.destroy();
        reject(hostKeys.refusal ?? connectFault(error, target.label));
      };
      client.on('error', fail);
      client.once('close', () => fail(null));
      // Small packets go out at once: without it, each exec waits for two delayed acknowledgements.
      client.once('connect', () => client.setNoDelay(true));
      client.once('ready', () => {
        client.removeListener('error', fail);
        resolve(new Connection(target, client, allowance));
      });
      client.connect(config);
    });
  }

  free(urgent: boolean): boolean {
    const { sessions, reserve } = this.#allowance;
    return this.fault === null && !this.#isStalled && this.used < sessions + (urgent ? reserve : 0);
  }

  /** Calls back once when the connection is over, at once when it is. Gives the function that takes that back. */
  onLost(listener: (fault: CaissonError) => void): () => void {
    if (this.fault !== null) listener(this.fault);
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Throws `SessionRefused`, or `unavailable` when there is no answer. Either way nothing was started. */
  async exec(line: string, options: ExecOptions): Promise<ClientChannel> {
    const { promise, resolve, reject } = Promise.withResolvers<ClientChannel>();
    const late = setTimeout(() => reject(this.#stalled()), openTimeoutMs);
    const forget = this.onLost(reject);
    let isOver = false;
    try {
      if (this.fault === null)
        this.#ask(line, options, (error, channel) => {
          if (error !== undefined) reject(this.fault ?? this.#refused(error));
          else if (isOver) channel.close();
          else resolve(channel);
        });
      return await promise;
    } catch (error) {
      isOver = true;
      throw error instanceof CaissonError || error instanceof SessionRefused ? error : lost(this.target.label, error);
    } finally {
      clearTimeout(late);
      forget();
    }
  }

  close(): void {
    this.#client.end();
    // A host that does not answer any more must not keep this process from ending.
    setTimeout(() => this.#client.destroy(), farewellMs).unref();
    this.#end(new CaissonError('unavailable', `the connection to ${this.target.label} was closed`));
  }

  #ask(line: string, options: ExecOptions, answer: ClientCallback): void {
    this.#asked += 1;
    const over = (): void => void (this.#asked -= 1);
    this.#client.exec(line, options, (error, channel) => {
      if (error === undefined) channel.once('close', over);
      else over();
      answer(error, channel);
    });
  }

  /** Of several that are refused one after the other, the last one tells how many the host allows. */
  #refused(error: Error): unknown {
    if (Reflect.get(error, 'reason') === undefined) return error;
    const alone = this.#asked === 0;
    if (!alone)
      Object.assign(this.#allowance, { sessions: Math.min(this.#allowance.sessions, this.#asked), reserve: 0 });
    return new SessionRefused(this.target.label, alone, error);
  }

  /** What runs on it goes on until keepalive tells that it is dead, but nothing new is put on it. */
  #stalled(): CaissonError {
    this.#isStalled = true;
    return lost(this.target.label, new Error(`no answer within ${openTimeoutMs} ms`));
  }

  #end(fault: CaissonError): void {
    if (this.fault !== null) return;
    this.fault = fault;
    for (const listener of this.#listeners) listener(fault);
    this.#listeners.clear();
  }
}

/** No forwarding of agent, X11 or ports: ssh2 does none unless asked. SHA-1 and CBC are left out. */
function configFor(target: Target, hostKeys: HostKeys): ConnectConfig {
  return {
    host: target.host,
    port: target.port,
    username: target.user,
    readyTimeout: readyTimeoutMs,
    keepaliveInterval: keepaliveMs,
    keepaliveCountMax: mostMissedKeepalives,
    hostVerifier: (key: Buffer) => hostKeys.accepts(key),
    algorithms: {
      serverHostKey: [...hostKeys.algorithms],
      kex: [
        'curve25519-sha256',
        'curve25519-sha256@libssh.org',
        'ecdh-sha2-nistp256',
        'ecdh-sha2-nistp384',
        'ecdh-sha2-nistp521',
        'diffie-hellman-group-exchange-sha256',
        'diffie-hellman-group16-sha512',
        'diffie-hellman-group18-sha512',
        'diffie-hellman-group14-sha256',
      ],
      // Without native code, one context for the whole connection costs far less than one a packet, which GCM needs.
      cipher: [
        'aes128-ctr',
        'aes256-ctr',
        'aes128-gcm@openssh.com',
        'aes256-gcm@openssh.com',
        'chacha20-poly1305@openssh.com',
      ],
      hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
    },
  };
}
