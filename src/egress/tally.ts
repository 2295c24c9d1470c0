/** Connections of all sandboxes since the proxy began, for metrics of a service, which is another process. */
import { keptIn } from '../lib/kept.ts';
import type { ConnectionRecord } from './door/types.ts';
import { egressDirectory } from './places.ts';

/** Figures of the egress proxy that runs, or ran last, since it began. */
export interface EgressFigures {
  /** Connections that have not ended, within the last second. */
  readonly open: number;
  /** Connections that were allowed. */
  readonly allowed: number;
  /** Connections that were denied. */
  readonly denied: number;
  /** Bytes that sandboxes have sent, over connections that have ended. */
  readonly sentBytes: number;
  /** Bytes that sandboxes have received, over connections that have ended. */
  readonly receivedBytes: number;
}

const name = 'figures';

export class Tally {
  #now: EgressFigures = { open: 0, allowed: 0, denied: 0, sentBytes: 0, receivedBytes: 0 };
  #written: EgressFigures | null = null;

  add({ verdict, sentBytes, receivedBytes }: Pick<ConnectionRecord, 'verdict' | 'sentBytes' | 'receivedBytes'>): void {
    const before = this.#now;
    this.#now = {
      open: before.open,
      allowed: before.allowed + (verdict === 'allow' ? 1 : 0),
      denied: before.denied + (verdict === 'deny' ? 1 : 0),
      sentBytes: before.sentBytes + sentBytes,
      receivedBytes: before.receivedBytes + receivedBytes,
    };
  }

  /** Does nothing where nothing has changed. `open`: connections that have not ended. */
  write(home: string, open: number): void {
    if (this.#now.open !== open) this.#now = { ...this.#now, open };
    if (this.#written === this.#now) return;
    this.#written = this.#now;
    keptIn(egressDirectory(home)).write(name, this.#now);
  }
}

/** `null`: no proxy has run. */
export function egressFigures(home: string): EgressFigures | null {
  const read = keptIn(egressDirectory(home)).read(name);
  if (typeof read !== 'object' || read === null) return null;
  const of = (key: keyof EgressFigures): number => Number(Reflect.get(read, key)) || 0;
  return {
    open: of('open'),
    allowed: of('allowed'),
    denied: of('denied'),
    sentBytes: of('sentBytes'),
    receivedBytes: of('receivedBytes'),
  };
}
