/**
 * Counts changes of state since the service began, by all processes of the state directory. They are read from the events
 * that the store keeps, so that no part of core has to count.
 */
import { Counter, type Registry } from 'prom-client';
import { isCode } from '../../errors.ts';
import type { EventsApi, EventView } from '../../service/api.ts';

/** So few are read at once that a scrape stays short. */
const everyMs = 5000;
const maxBackends = 32;
const word = /^[a-z][a-z0-9_-]{0,31}$/;

export class EventCounts {
  readonly #api: EventsApi;
  readonly #closing: AbortSignal;
  readonly #counters: Counters;
  readonly #backends = new Set<string>();
  /** Sequence number of the last event that is counted. `null`: none was looked for yet. */
  #last: number | null = null;
  #reading: Promise<void>;

  constructor(api: EventsApi, registers: Registry[], closing: AbortSignal) {
    this.#api = api;
    this.#closing = closing;
    this.#counters = countersIn(registers);
    this.#reading = this.#read();
    const timer = setInterval(() => void this.catchUp(), everyMs).unref();
    closing.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  /** Until all is counted that had happened before the call. Never rejects. */
  async catchUp(): Promise<void> {
    this.#reading = this.#reading.then(async () => await this.#read());
    await this.#reading;
  }

  async #read(): Promise<void> {
    if (this.#closing.aborted) return;
    try {
      this.#last ??= (await this.#api.kept()).newest;
      for await (const event of this.#api.follow({ after: this.#last })) {
        this.#last = event.seq;
        this.#count(event);
      }
    } catch (error) {
      // More have happened than are kept, or the database was set aside: what is not kept cannot be counted.
      if (isCode(error, 'not_found')) this.#counters.missed.inc();
      if (isCode(error, 'not_found')) this.#last = null;
    }
  }

  #count({ type, author, data }: EventView): void {
    const { execs, processes, sandboxes, approvals, denied } = this.#counters;
    const backend = this.#backend(data['backend']);
    if (type === 'exec.started') execs.started.inc({ backend });
    else if (type === 'exec.ended') execs.ended.inc({ backend, reason: wordOf(data['reason']) });
    else if (type === 'process.started') processes.started.inc({ backend });
    else if (type === 'process.ended') processes.ended.inc({ backend });
    else if (type === 'approval.asked') approvals.asked.inc();
    else if (type === 'approval.answered')
      approvals.answered.inc({ state: wordOf(data['state']), choice: wordOf(data['choice']) });
    else if (type === 'network.denied') denied.inc({ backend }, countOf(data['count']));
    else sandboxes.inc({ backend, from: wordOf(data['from']), to: wordOf(data['to']), by: kindOf(author) });
  }

  /** Gives the first backends series of their own: a program may register backends under ever new names. */
  #backend(name: unknown): string {
    const backend = wordOf(name);
    if (this.#backends.has(backend)) return backend;
    if (this.#backends.size >= maxBackends) return 'other';
    this.#backends.add(backend);
    return backend;
  }
}

const wordOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' && word.test(value) ? value : 'other';
};

const countOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 1);

const kindOf = (author: string): string => (author.startsWith('tok_') ? 'token' : wordOf(author));

type Counters = ReturnType<typeof countersIn>;

function countersIn(registers: Registry[]) {
  const backend = ['backend'] as const;
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> =>
    new Counter({ name: `caisson_${name}_total`, help, labelNames: [...labelNames], registers });
  return {
    execs: {
      started: counter('execs_started', 'Execs that have started.', backend),
      ended: counter('execs_ended', 'Execs that have ended, by the reason of their end.', ['backend', 'reason']),
    },
    processes: {
      started: counter('processes_started', 'Detached processes that have started.', backend),
      ended: counter('processes_ended', 'Detached processes that were seen to have ended.', backend),
    },
    approvals: {
      asked: counter('approvals_asked', 'Commands that a person was asked about.', []),
      answered: counter('approvals_answered', 'Questions that were answered, or left.', ['state', 'choice']),
    },
    sandboxes: counter(
      'sandbox_changes',
      'Changes of state of sandboxes; by: token, operator, sweeper, reaper, shutdown.',
      [...(['backend', 'from', 'to', 'by'] as const)],
    ),
    denied: counter(
      'network_denied',
      'Connections of filtered sandboxes that were denied, as events have them.',
      backend,
    ),
    missed: counter('events_missed', 'Times that events were gone before they were counted.', []),
  };
}
