/** Counts tokens that do not hold, by address, in bounded memory. A token that holds is never refused for its address. */
import { isIPv6 } from 'node:net';
import { WindowCounts } from '../../lib/window-counts.ts';

const windowMs = 60_000;
const maxInWindow = 20;
const maxAddresses = 10_000;

export class Strangers {
  readonly #counts: WindowCounts;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#counts = new WindowCounts({ windowMs, maxNames: maxAddresses, nowMs });
  }

  /** Counts one more. Answers for how many seconds the address is to be sent away; `null`: it is not. */
  count(address: string): number | null {
    const counted = this.#counts.of(networkOf(address));
    counted.count++;
    return counted.count <= maxInWindow ? null : this.#counts.secondsLeft(counted);
  }

  get size(): number {
    return this.#counts.size;
  }
}

/** A host has all of a /64 to itself (RFC 4291, section 2.5.4). */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = ''] = address.split('::');
  return head.split(':').slice(0, 4).join(':');
}
