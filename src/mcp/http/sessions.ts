/**
 * Sessions of the old protocol (revisions before 2026-07-28), each of one token: for others it is not there. One without a request
 * ends after a while, since clients often go without a word; beyond the most of a token, the one that was longest without one.
 */
import type { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Limits } from '../limits.ts';

export interface Session {
  readonly token: string;
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: McpServer;
}

interface OpenSession extends Session {
  /** Requests that are not answered, without streams for messages of the server. */
  open: number;
  usedMs: number;
}

export class Sessions {
  readonly #held = new Map<string, OpenSession>();
  readonly #limits: Pick<Limits, 'idleMs' | 'maxSessions'>;
  readonly #timer: NodeJS.Timeout;

  constructor(limits: Pick<Limits, 'idleMs' | 'maxSessions'>) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#endIdle(), Math.max(10, limits.idleMs / 10)).unref();
  }

  get size(): number {
    return this.#held.size;
  }

  find(id: string, token: string): Session | null {
    const held = this.#held.get(id);
    return held?.token === token ? held : null;
  }

  add(id: string, session: Session): void {
    this.#held.set(id, { ...session, open: 0, usedMs: performance.now() });
  }

  /** Makes room for one more. False: all of the token are in use. */
  makeRoom(token: string): boolean {
    const own = [...this.#held].filter(([, held]) => held.token === token);
    if (own.length < this.#limits.maxSessions) return true;
    const [longest] = own.filter(([, { open }]) => open === 0).toSorted(([, a], [, b]) => a.usedMs - b.usedMs);
    if (longest === undefined) return false;
    this.end(longest[0]);
    return true;
  }

  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    const held = this.#held.get(id);
    if (held === undefined) return await work();
    held.open++;
    try {
      return await work();
    } finally {
      held.open--;
      held.usedMs = performance.now();
    }
  }

  end(id: string): void {
    const held = this.#held.get(id);
    this.#held.delete(id);
    void held?.server.close().catch(() => undefined);
  }

  closeAll(): void {
    clearInterval(this.#timer);
    for (const id of this.#held.keys()) this.end(id);
  }

  #endIdle(): void {
    const before = performance.now() - this.#limits.idleMs;
    for (const [id, { open, usedMs }] of this.#held) if (open === 0 && usedMs < before) this.end(id);
  }
}
