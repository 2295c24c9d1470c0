/** Writes events as the client takes them. The source is asked for more only then, so that memory stays bounded. */
import type { ServerResponse } from 'node:http';
import { contentTypes, frame, heartbeat, type Framing, type StreamEvent } from './framing.ts';

/** What is there in one turn of the loop is written at once. */
const maxBatchUnits = 64 * 1024;

interface Sending {
  readonly framing: Framing;
  readonly headers: Readonly<Record<string, string>>;
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
}

export const headOfEvents = (framing: Framing): Readonly<Record<string, string>> => ({
  'content-type': contentTypes[framing],
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
});

export async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<StreamEvent>,
  { framing, headers, heartbeatMs, signal }: Sending,
): Promise<void> {
  response.writeHead(200, { ...headers, ...headOfEvents(framing) });
  const beat = setInterval(() => {
    if (response.writableLength === 0) response.write(heartbeat[framing]);
  }, heartbeatMs);
  const batch = new Batch(response, signal);
  // The head goes out with the first event, in one write, when that comes at once, else alone.
  const head = setImmediate(() => {
    if (!batch.waits) response.flushHeaders();
  });
  try {
    for await (const event of events) {
      if (signal.aborted) break;
      await batch.add(frame(framing, event));
    }
    await batch.flush();
  } finally {
    clearInterval(beat);
    clearImmediate(head);
    response.end();
  }
}

class Batch {
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  #text = '';
  #turn: NodeJS.Immediate | null = null;

  constructor(response: ServerResponse, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
  }

  /** Whether it writes in this turn. */
  get waits(): boolean {
    return this.#turn !== null;
  }

  async add(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length >= maxBatchUnits) await this.flush();
    else this.#turn ??= setImmediate(() => this.#write());
    if (this.#response.writableNeedDrain) await this.#drained();
  }

  async flush(): Promise<void> {
    this.#write();
    if (this.#response.writableNeedDrain) await this.#drained();
  }

  #write(): void {
    if (this.#turn !== null) clearImmediate(this.#turn);
    this.#turn = null;
    const text = this.#text;
    this.#text = '';
    if (text !== '' && !this.#response.destroyed) this.#response.write(text);
  }

  /** Also ends when the client is gone. */
  async #drained(): Promise<void> {
    if (this.#signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.once('drain', resolve);
    const gone = (): void => resolve();
    this.#signal.addEventListener('abort', gone, { once: true });
    await promise;
    this.#response.off('drain', resolve);
    this.#signal.removeEventListener('abort', gone);
  }
}
