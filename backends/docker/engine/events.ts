/**
 * One event stream for all containers of an instance: it tells when an exec or a container ends, without asking again
 * and again. It is opened when the first one needs it and comes back by itself; what may have been missed meanwhile is
 * asked for by a caller that waits (`reconnected`). After half a minute of silence it gives up (`lost`) until it is needed again.
 */
import type { Readable } from 'node:stream';
import { delay } from './delay.ts';
import { number, object, parse, text } from './json.ts';
import { instanceLabel } from '../container/labels.ts';
import { linesOf } from './lines.ts';
import type { Request } from './rest.ts';

export type EngineEvent =
  | { readonly type: 'exec_die'; readonly execId: string | null; readonly exitCode: number | null }
  | { readonly type: 'die'; readonly exitCode: number | null }
  | { readonly type: 'oom' }
  | { readonly type: 'destroy' }
  | { readonly type: 'reconnected' }
  | { readonly type: 'lost' };

export type Listener = (event: EngineEvent) => void;

const retriesMs = [0, 100, 200, 500, 1000, 2000, 3000, 5000, 5000, 5000, 5000, 5000];

export class Events {
  readonly #open: (request: Request) => Promise<Readable>;
  readonly #filters: string;
  readonly #listeners = new Map<string, Set<Listener>>();
  #stream: Readable | null = null;
  #ready: Promise<void> | null = null;
  #lastNanos: string | null = null;
  /** Kills for memory by container, since we listen; with the time of the newest, since a reconnected stream repeats some. */
  readonly #memoryKills = new Map<string, { count: number; nanos: number }>();
  #closed = false;

  constructor(open: (request: Request) => Promise<Readable>, instance: string) {
    this.#open = open;
    this.#filters = JSON.stringify({
      type: ['container'],
      label: [`${instanceLabel}=${instance}`],
      event: ['exec_die', 'die', 'oom', 'destroy'],
    });
  }

  /** Resolves when the engine has accepted the subscription. */
  ready(): Promise<void> {
    this.#ready ??= this.#connect().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  /** Returns what ends the watch. */
  watch(container: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(container) ?? new Set();
    this.#listeners.set(container, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(container) === listeners) this.#listeners.delete(container);
    };
  }

  memoryKills(container: string): number {
    return this.#memoryKills.get(container)?.count ?? 0;
  }

  close(): void {
    this.#closed = true;
    this.#stream?.destroy();
    this.#tellAll({ type: 'lost' });
  }

  async #connect(): Promise<void> {
    const since =
      this.#lastNanos === null ? {} : { since: `${this.#lastNanos.slice(0, -9)}.${this.#lastNanos.slice(-9)}` };
    const stream = await this.#open({
      what: 'watch the containers',
      method: 'GET',
      path: '/events',
      query: { filters: this.#filters, ...since },
    });
    if (this.#closed) {
      stream.destroy();
      return;
    }
    this.#stream = stream;
    void this.#follow(stream);
  }

  async #follow(stream: Readable): Promise<void> {
    try {
      for await (const line of linesOf(stream)) this.#take(line);
    } catch {
      // A broken stream is what reconnecting is for.
    }
    await this.#reconnect(stream);
  }

  async #reconnect(broken: Readable): Promise<void> {
    if (this.#closed || this.#stream !== broken) return;
    this.#stream = null;
    this.#ready = this.#retry();
    // A caller of `ready` gets the failure meanwhile; all listeners have got it here.
    await this.#ready.catch(() => {});
  }

  async #retry(): Promise<void> {
    let failure: unknown = null;
    for (const pause of retriesMs) {
      await delay(pause);
      if (this.#closed) return;
      try {
        await this.#connect();
        this.#tellAll({ type: 'reconnected' });
        return;
      } catch (error) {
        failure = error;
      }
    }
    this.#ready = null;
    this.#tellAll({ type: 'lost' });
    throw failure;
  }

  #take(line: string): void {
    const entry = object(parse(line));
    const nanos = number(entry['timeNano']);
    // The number has lost its last digits to floating point; a little earlier only means to hear something twice.
    if (nanos !== null) this.#lastNanos = String(BigInt(Math.floor(nanos)) - 1000n);
    const event = toEvent(entry);
    const container = text(object(entry['Actor'])['ID']);
    if (event?.type === 'oom' && container) this.#countKill(container, nanos ?? 0);
    if (event?.type === 'destroy' && container) this.#memoryKills.delete(container);
    if (event && container) this.#tell(container, event);
  }

  #countKill(container: string, nanos: number): void {
    const seen = this.#memoryKills.get(container) ?? { count: 0, nanos: -1 };
    if (nanos > seen.nanos) this.#memoryKills.set(container, { count: seen.count + 1, nanos });
  }

  #tell(container: string, event: EngineEvent): void {
    for (const listener of [...(this.#listeners.get(container) ?? [])]) listener(event);
  }

  #tellAll(event: EngineEvent): void {
    for (const container of [...this.#listeners.keys()]) this.#tell(container, event);
  }
}

function toEvent(entry: Readonly<Record<string, unknown>>): EngineEvent | null {
  const attributes = object(object(entry['Actor'])['Attributes']);
  const exitCode = toExitCode(attributes['exitCode']);
  switch (entry['Action']) {
    case 'exec_die':
      return { type: 'exec_die', execId: text(attributes['execID']), exitCode };
    case 'die':
      return { type: 'die', exitCode };
    case 'oom':
      return { type: 'oom' };
    case 'destroy':
      return { type: 'destroy' };
    default:
      return null;
  }
}

function toExitCode(value: unknown): number | null {
  const digits = text(value);
  if (digits === null || !/^\d{1,3}$/.test(digits)) return null;
  const code = Number(digits);
  return code <= 255 ? code : null;
}
