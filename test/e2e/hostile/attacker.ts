/** What an attack has: one owner's token, and a count of what the service answered. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface AttackRequest {
  readonly method?: string;
  readonly body?: unknown;
  /** A body as it stands, instead of one that is written here. */
  readonly json?: string;
  readonly token?: string | null;
}

export interface Attack {
  /** How many of its strikes go on at the same time. */
  readonly atOnce: number;
  readonly prepare?: (attacker: Attacker) => Promise<unknown>;
  /** `turn` is another number each time. */
  readonly strike: (attacker: Attacker, turn: number) => Promise<unknown>;
}

export class Attacker {
  readonly counts: Record<string, number> = {};
  readonly signal: AbortSignal;
  readonly #url: URL;
  readonly #token: string;

  constructor(url: string, token: string, signal: AbortSignal) {
    this.#url = new URL(url);
    this.#token = token;
    this.signal = signal;
  }

  count(what: string | number): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** Never throws: what breaks off is counted. */
  async ask(path: string, { method, body, json, token = this.#token }: AttackRequest = {}): Promise<string> {
    const text = json ?? (body === undefined ? null : JSON.stringify(body));
    try {
      const response = await fetch(new URL(path, this.#url), {
        method: method ?? (text === null ? 'GET' : 'POST'),
        headers: {
          accept: 'application/json, application/x-ndjson;q=0.9, */*;q=0.1',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(text === null ? {} : { 'content-type': 'application/json' }),
        },
        signal: this.signal,
        body: text,
      });
      this.count(response.status);
      return await response.text();
    } catch (error) {
      if (!this.signal.aborted) this.count(String(Object(Object(error).cause).code ?? error));
      return '';
    }
  }

  exec(taskId: string, command: readonly string[], more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return this.ask(`/v1/sandboxes/${taskId}/execs`, { body: { command, timeoutMs: 30_000, ...more } });
  }

  /** A connection that has sent a head, and the beginning of a body where there is one; it reads nothing. */
  async unread(lines: readonly string[], body = ''): Promise<Socket> {
    const socket = connect(Number(this.#url.port), this.#url.hostname);
    socket.on('error', (error) => this.count(String(Object(error).code)));
    socket.pause();
    const head = [...lines, `Host: ${this.#url.host}`].join('\r\n');
    socket.write(`${head}\r\n\r\n${body}`);
    await once(socket, 'connect', { signal: this.signal }).catch(() => undefined);
    return socket;
  }

  get authorization(): string {
    return `Authorization: Bearer ${this.#token}`;
  }

  /** Until the time of the attack is over, or the socket has closed. */
  async hold(socket: Socket): Promise<void> {
    const over = new AbortController();
    const all = AbortSignal.any([this.signal, over.signal]);
    socket.once('close', () => over.abort());
    await sleep(600_000, undefined, { signal: all }).catch(() => undefined);
    socket.destroy();
  }
}

export const newExecId = (): string => `exec_${randomBytes(9).toString('hex')}`;
