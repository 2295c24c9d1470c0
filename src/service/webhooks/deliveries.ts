/**
 * Delivers events to webhooks, at least once. One process of the state directory does it at a time; when it dies, another one
 * goes on. An event stays in the store until its receiver has it.
 */
import type { Delivery } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';
import { pauseMs, restMs } from './schedule.ts';
import type { Ended, Sender, SendOutcome } from './send.ts';
import { messageOf } from './sign.ts';
import { remembered } from '../../lib/remembered.ts';

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly key: Buffer;
}

export interface DeliveriesInput {
  readonly targets: readonly Target[];
  readonly store: Pick<Store, 'outbox' | 'leases' | 'steadyNow'>;
  /** Opens it when there is something to send. */
  readonly sender: () => Promise<Sender>;
}

const lease = 'webhooks';
const lookEveryMs = 1000;
/** How long a process that ends goes on with what waits. */
const lastRoundMs = 3000;
const maxAtOnce = 100;
const maxKept = 10_000;
const givenUpKeptMs = 7 * 86_400_000;

interface Rest {
  readonly failures: number;
  readonly untilMs: number;
}

export class Deliveries {
  readonly #parts: DeliveriesInput;
  readonly #over = new AbortController();
  readonly #rests = new Map<string, Rest>();
  readonly #timer: NodeJS.Timeout;
  readonly #sender = remembered((): Promise<Sender> => this.#parts.sender());
  #round: Promise<void> | null = null;
  #isHolder = false;
  #closing: Promise<void> | null = null;

  constructor(parts: DeliveriesInput) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs).unref();
  }

  /** After a last round: what was not sent waits for the next process. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    const late = setTimeout(() => this.#over.abort(), lastRoundMs);
    await this.#round;
    await this.#look();
    clearTimeout(late);
    this.#over.abort();
    await (await this.#sender.current()?.catch(() => null))?.close();
    if (this.#isHolder) await this.#parts.store.leases.release(lease);
  }

  /** One round at a time. */
  #look(): Promise<void> {
    this.#round ??= this.#deliver()
      // A store that cannot be read now is read again in the next round.
      .catch(() => undefined)
      .finally(() => (this.#round = null));
    return this.#round;
  }

  async #deliver(): Promise<void> {
    const { store, targets } = this.#parts;
    this.#isHolder ||= await store.leases.acquire(lease);
    if (!this.#isHolder) return;
    await Promise.all(targets.map((target) => this.#deliverTo(target)));
    await store.outbox.trim(maxKept, store.steadyNow() - givenUpKeptMs);
  }

  async #deliverTo(target: Target): Promise<void> {
    const { store } = this.#parts;
    const nowMs = store.steadyNow();
    if ((this.#rests.get(target.name)?.untilMs ?? 0) > nowMs) return;
    for (const delivery of await store.outbox.due(target.name, nowMs, maxAtOnce)) {
      if (this.#over.signal.aborted) return;
      const sent = await this.#send(target, delivery);
      if (sent.is === 'canceled') return;
      await this.#settle(delivery, sent);
      if (sent.is !== 'arrived') return;
    }
  }

  async #send({ url, key }: Target, delivery: Delivery): Promise<SendOutcome> {
    const sender = await this.#sender();
    return await sender.send(url, messageOf(delivery, key, Date.now()), this.#over.signal);
  }

  async #settle({ id, endpoint, attempts }: Delivery, sent: Ended): Promise<void> {
    const { outbox } = this.#parts.store;
    if (sent.is === 'arrived') {
      this.#rests.delete(endpoint);
      await outbox.delivered(id);
      return;
    }
    const nowMs = this.#parts.store.steadyNow();
    const failures = (this.#rests.get(endpoint)?.failures ?? 0) + 1;
    this.#rests.set(endpoint, { failures, untilMs: nowMs + restMs(failures) });
    const pause = sent.is === 'gone' ? null : pauseMs(attempts + 1, Math.random());
    await outbox.failed(id, { nextAt: pause === null ? null : nowMs + pause, failure: sent.why.slice(0, 500) });
  }
}
