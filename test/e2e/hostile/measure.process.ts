/**
 * Requests of an owner who does nothing special, at a fixed rate: one that waits delays no other, as its clients do not know of
 * each other. Its parent sends one message for each round, and gets the times of all requests and those that failed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kind, kinds, type Measured, type MeasureOrder } from './orders.ts';

const everyMs = 50;
/** A request that takes longer has failed. */
const timeoutMs = 20_000;

class Measurer {
  readonly times: Measured['times'] = { exec: [], list: [], file: [], health: [] };
  readonly failures: string[] = [];
  readonly #order: MeasureOrder;

  constructor(order: MeasureOrder) {
    this.#order = order;
  }

  async one(kind: Kind, turn: number): Promise<void> {
    const started = performance.now();
    try {
      await this.#requests[kind](turn);
      this.times[kind].push(performance.now() - started);
    } catch (error) {
      const ms = Math.round(performance.now() - started);
      this.failures.push(`${kind} after ${ms} ms: ${String(Object(Object(error).cause).code ?? error)}`);
    }
  }

  readonly #requests: Readonly<Record<Kind, (turn: number) => Promise<void>>> = {
    exec: async (turn) => {
      const body = JSON.stringify({ command: ['echo', String(turn)] });
      const answer = await this.#ask('/v1/sandboxes/steady/execs', { method: 'POST', body });
      if (!answer.includes(`"${turn}\\n"`)) throw new Error(`another answer: ${answer.slice(0, 200)}`);
    },
    list: async (turn) => {
      await this.#ask(turn % 8 < 4 ? '/v1/sandboxes' : '/v1/execs?task=steady&limit=20');
    },
    file: async (turn) => {
      const path = '/v1/sandboxes/steady/files?path=/workspace/notes/note';
      if (turn % 8 < 4) await this.#ask(path, { method: 'PUT', body: Buffer.from('steady') });
      else await this.#ask('/v1/sandboxes/steady/files/list?path=/workspace/notes');
    },
    health: async () => {
      await this.#ask('/healthz');
    },
  };

  async #ask(path: string, how: { readonly method?: string; readonly body?: string | Buffer } = {}): Promise<string> {
    const { url, token } = this.#order;
    const type = typeof how.body === 'string' ? 'application/json' : 'application/octet-stream';
    const response = await fetch(url + path, {
      ...how,
      headers: {
        accept: 'application/json, */*;q=0.1',
        authorization: `Bearer ${token}`,
        ...(how.body === undefined ? {} : { 'content-type': type }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`);
    return text;
  }
}

async function measure(order: MeasureOrder): Promise<Measured> {
  const measurer = new Measurer(order);
  const started = performance.now();
  const all: Promise<void>[] = [];
  for (let turn = 0; turn * everyMs < order.forMs; turn++) {
    await sleep(Math.max(0, started + turn * everyMs - performance.now()));
    all.push(measurer.one(kinds[turn % kinds.length] ?? 'health', turn));
  }
  await Promise.all(all);
  return { times: measurer.times, failures: measurer.failures };
}

process.on('message', (message) => {
  void measure(message as MeasureOrder).then((measured) => process.send?.(measured));
});
