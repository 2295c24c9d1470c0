/** Whether the service has something to do: requests, sockets and commands that run. Looks at its state do not count. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

const looks = new Set(['/healthz', '/readyz', '/metrics', '/service']);

export class Activity {
  #open = 0;
  #streams = 0;
  #since = Date.now();
  /** Milliseconds of the monotonic clock, which a step of the time of day does not move. */
  #sinceMs = performance.now();

  get streams(): number {
    return this.#streams;
  }

  /** `null`: it has something to do. */
  get idleSince(): Date | null {
    return this.#open === 0 ? new Date(this.#since) : null;
  }

  /** 0: it has something to do. */
  get idleMs(): number {
    return this.#open === 0 ? performance.now() - this.#sinceMs : 0;
  }

  /** Something to do, until the function that it gives is called. */
  begin(): () => void {
    this.#open += 1;
    return once(() => {
      this.#open -= 1;
      this.#since = Date.now();
      this.#sinceMs = performance.now();
    });
  }

  /** Begins a stream of events, which is also something to do, until the function that it gives is called. */
  stream(): () => void {
    const end = this.begin();
    this.#streams += 1;
    return once(() => {
      this.#streams -= 1;
      end();
    });
  }
}

/** A request ends with its answer, or with its connection; a socket with its connection. */
export function countRequests(app: FastifyInstance, activity: Activity): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!looks.has(request.routeOptions.url ?? '')) {
      const end = request.ws ? activity.stream() : activity.begin();
      (request.ws ? socketOf(request) : reply.raw).once('close', end);
    }
    done();
  });
}

const socketOf = ({ raw }: FastifyRequest) => raw.socket;

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** Calls back once, when nothing was to do for so long. */
export function whenIdle(activity: Activity, idleMs: number, act: () => void): () => void {
  const look = (): void => {
    const leftMs = idleMs - activity.idleMs;
    if (leftMs <= 0) act();
    else timer = setTimeout(look, Math.min(leftMs, maxWaitMs));
  };
  let timer = setTimeout(look, Math.min(idleMs, maxWaitMs));
  return () => clearTimeout(timer);
}

/** What goes on in between is looked at as often. */
const maxWaitMs = 60_000;
