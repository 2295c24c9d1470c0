/** Tickets by which a browser, which cannot send a token with a socket, opens one: 30 seconds, one use, for one path. */
import { hash, randomBytes } from 'node:crypto';
import { CaissonError } from '../../errors.ts';

const lifetimeMs = 30_000;
const maxOfToken = 100;

interface Ticket {
  /** Its text: one that was removed, or has ended, since then does not hold through the ticket. */
  readonly token: string;
  readonly path: string;
  readonly untilMs: number;
}

export class Tickets {
  /** Tickets by digest, oldest first. */
  readonly #tickets = new Map<string, Ticket>();
  readonly #nowMs: () => number;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** `path`: with its query, exactly as the socket will ask for it. */
  issue(token: string, path: string): { readonly ticket: string; readonly expiresInMs: number } {
    this.#forgetLate();
    const own = [...this.#tickets.values()].filter((each) => each.token === token).length;
    if (own >= maxOfToken) throw new CaissonError('resource_exhausted', 'this token has too many tickets open');
    const ticket = randomBytes(32).toString('base64url');
    this.#tickets.set(hash('sha256', ticket), { token, path, untilMs: this.#nowMs() + lifetimeMs });
    return { ticket, expiresInMs: lifetimeMs };
  }

  /** The token that issued it. The ticket is used up by it, whatever the path. */
  redeem(ticket: string, path: string): string | null {
    const digest = hash('sha256', ticket);
    const found = this.#tickets.get(digest);
    this.#tickets.delete(digest);
    return found !== undefined && found.path === path && found.untilMs > this.#nowMs() ? found.token : null;
  }

  #forgetLate(): void {
    for (const [digest, { untilMs }] of this.#tickets) if (untilMs <= this.#nowMs()) this.#tickets.delete(digest);
  }
}
