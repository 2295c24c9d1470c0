/** Counts tokens that do not hold, by address, in bounded memory. A token that holds is never refused for its address. */
import { isIPv6 } from 'node:net';

const windowMs = 60_000;
const mostInWindow = 20;
const mostAddresses = 10_000;

interface Seen {
  readonly sinceMs: number;
  count: number;
}

export class Strangers {
  readonly #seen = new Map<string, Seen>();
  readonly #nowMs: () => number;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Counts one more. Answers for how many seconds the address is to be sent away; `null`: it is not. */
  count(address: string): number | null {
    const key = networkOf(address);
    const now = this.#nowMs();
    const known = this.#seen.get(key);
    const seen = known === undefined || now - known.sinceMs >= windowMs ? { sinceMs: now, count: 0 } : known;
    seen.count++;
    this.#seen.delete(key);
    if (this.#seen.size >= mostAddresses) this.#forgetOldest();
    this.#seen.set(key, seen);
    return seen.count <= mostInWindow ? null : Math.ceil((windowMs - (now - seen.sinceMs)) / 1000);
  }

  get size(): number {
    return this.#seen.size;
  }

  #forgetOldest(): void {
    for (const key of this.#seen.keys()) {
      this.#seen.delete(key);
      return;
    }
  }
}

/** A host has all of a /64 to itself (RFC 4291, section 2.5.4). */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = ''] = address.split('::');
  return head.split(':').slice(0, 4).join(':');
}
