/**
 * What a service counts from its start on, and how much there is of everything when it is asked (Prometheus' text format,
 * by prom-client). Labels have few values: names of backends and webhooks, routes, and words of Caisson; never a task, an owner, a
 * token or a word of a client.
 */
import type { ServerResponse } from 'node:http';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CaissonApi, Options } from '../../service/api.ts';
import { EventCounts } from './events.ts';
import { gaugesOf } from './gauges.ts';

/** Seconds. The longest answers wait for an image or a person. */
const buckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Part of a call, or the whole until the first byte of its answer. */
export type Step = Parameters<NonNullable<Options['onTimed']>>[0] | 'first_byte';

interface Answered {
  /** Path of the route in the application: `/v1/sandboxes/:id`. `undefined`: no route. */
  readonly route: string | undefined;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
}

export class Metrics {
  /** Registry of this service alone: prom-client's own registry is global. */
  readonly #registry = new Registry();
  readonly #requests: Histogram<'route' | 'method' | 'status'>;
  readonly #streamed: Counter<'route'>;
  readonly #steps: Histogram<'step'>;
  readonly #open: Gauge;
  readonly #streams = new WeakSet<ServerResponse>();
  readonly #events: EventCounts;

  constructor(api: CaissonApi, closing: AbortSignal) {
    const registers = [this.#registry];
    this.#events = new EventCounts(api.events, registers, closing);
    this.#requests = new Histogram({
      name: 'caisson_http_request_duration_seconds',
      help: 'Time of requests until they were answered, by route, method and class of status. Streams are not among them.',
      labelNames: ['route', 'method', 'status'],
      buckets,
      registers,
    });
    this.#streamed = new Counter({
      name: 'caisson_http_streams_total',
      help: 'Answers that were streams of events.',
      labelNames: ['route'],
      registers,
    });
    this.#open = new Gauge({ name: 'caisson_http_streams_open', help: 'Streams of events that are open.', registers });
    this.#steps = new Histogram({
      name: 'caisson_step_duration_seconds',
      help: 'Time of the parts of a call: policy with its questions, queue, create, start, and first_byte of a stream.',
      labelNames: ['step'],
      buckets,
      registers,
    });
  }

  readonly step = (step: Step, ms: number): void => this.#steps.observe({ step }, ms / 1000);

  /** An answer that goes on until what it follows ends. */
  stream(response: ServerResponse): void {
    this.#streams.add(response);
    this.#open.inc();
    response.once('close', () => this.#open.dec());
  }

  answered(response: ServerResponse, { route, method, status, ms }: Answered): void {
    if (this.#streams.has(response)) this.#streamed.inc({ route: route ?? 'none' });
    // A request without a route has any word of the client for its method, which must not become a label.
    else if (route === undefined)
      this.#requests.observe({ route: 'none', method: 'any', status: classOf(status) }, ms / 1000);
    else this.#requests.observe({ route, method, status: classOf(status) }, ms / 1000);
  }

  /** Throws what `figures` throws for the caller, who asks with this view of the API. */
  async page(asker: CaissonApi, sockets: number): Promise<string> {
    const figures = await asker.installation.figures();
    await this.#events.catchUp();
    const now = gaugesOf(figures, sockets);
    return `${await this.#registry.metrics()}\n${await now.metrics()}`;
  }
}

const classOf = (status: number): string => `${Math.trunc(status / 100)}xx`;
