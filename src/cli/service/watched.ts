/** A transport that finds out when the service lives and has stopped to answer: a request that waits for a command is no such thing. */
import { CaissonError } from '../../errors.ts';
import type { Transport, WireRequest, WireResponse } from '../../client/transport.ts';

/** After so long without an answer, the service is asked whether it is there at all. */
export interface Watching {
  readonly lookMs: number;
  readonly answerMs: number;
  readonly silentError: () => CaissonError;
}

export function watched(transport: Transport, watching: Watching): Transport {
  return {
    open: (path, headers, signal) => transport.open(path, headers, signal),
    close: () => transport.close(),
    request: async (wanted) => {
      const silence = Promise.withResolvers<never>();
      const over = watch(transport, watching, (error) => {
        silence.reject(error);
        // Ends the request, which nothing can answer any more.
        void transport.close();
      });
      try {
        return await Promise.race([transport.request(wanted), silence.promise]);
      } finally {
        over();
      }
    },
  };
}

/** The returned function ends that. */
function watch(transport: Transport, watching: Watching, fail: (error: CaissonError) => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout;
  const lookLater = (): void => {
    timer = setTimeout(() => void look(), watching.lookMs);
  };
  const look = async (): Promise<void> => {
    const isThere = await answers(transport, watching.answerMs);
    if (isOver) return;
    if (isThere) lookLater();
    else fail(watching.silentError());
  };
  lookLater();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

async function answers(transport: Transport, withinMs: number): Promise<boolean> {
  try {
    await drained(await transport.request(health(AbortSignal.timeout(withinMs))));
    return true;
  } catch (error) {
    // A service that is gone is seen by the request itself.
    return !(error instanceof CaissonError && error.code === 'timed_out');
  }
}

const health = (signal: AbortSignal): WireRequest => ({ method: 'GET', path: '/healthz', headers: {}, signal });

async function drained({ body }: WireResponse): Promise<void> {
  for await (const _part of body);
}
