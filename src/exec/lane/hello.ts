/** The first word of a lane. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Exchange } from './exchange.ts';
import { helloForm } from './protocol.ts';

const timeoutMs = 20_000;

/** How its shell was started. */
export interface LaneStart {
  readonly nonce: string;
  readonly program: Buffer;
  /** What the first process prints when a command has killed the lane that it keeps. */
  readonly notice?: string;
}

export interface Hello {
  readonly pid: number;
  /** Whether it can have a child stand ready. */
  readonly canStandReady: boolean;
}

/** `answer` is `null` where it does not come, or says that no lane can be here. */
export function awaitHello(nonce: string): { readonly exchange: Exchange; readonly answer: Promise<Hello | null> } {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const exchange = new Exchange(
    { nonce, form: helloForm },
    { deliver: () => undefined, ended: (trailer) => resolve(trailer), lost: () => resolve(null) },
  );
  const late = sleep(timeoutMs, null, { ref: false });
  return { exchange, answer: Promise.race([promise, late]).then(readHello) };
}

function readHello(trailer: string | null): Hello | null {
  if (trailer === null || trailer === ':-') return null;
  return { pid: Number.parseInt(trailer.slice(1), 10), canStandReady: trailer.endsWith('+') };
}
