/** Who has shown a token on a page: for five minutes and one answer, in bounded memory. */
import { hash, randomBytes } from 'node:crypto';

const lifetimeMs = 5 * 60_000;
const max = 1000;
const cookieName = 'caisson_approval';
const form = /^[A-Za-z0-9_-]{43}$/;

interface Login {
  readonly token: string;
  readonly untilMs: number;
}

export class Logins {
  /** Logins by the digest of their cookie, oldest first. */
  readonly #logins = new Map<string, Login>();
  readonly #nowMs: () => number;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Answers the value of its cookie. The token is kept, so that one that was removed meanwhile does not hold. */
  open(token: string): string {
    const id = randomBytes(32).toString('base64url');
    const [oldest] = this.#logins.keys();
    if (this.#logins.size >= max && oldest !== undefined) this.#logins.delete(oldest);
    this.#logins.set(hash('sha256', id), { token, untilMs: this.#nowMs() + lifetimeMs });
    return id;
  }

  tokenOf(id: string): string | null {
    const found = this.#logins.get(hash('sha256', id));
    return found !== undefined && found.untilMs > this.#nowMs() ? found.token : null;
  }

  end(id: string): void {
    this.#logins.delete(hash('sha256', id));
  }
}

/** `null`: none, or more than one. */
export function loginIn(cookies: string | undefined): string | null {
  const values = (cookies ?? '').split(';').flatMap((each) => {
    const [name, value = ''] = each.trim().split('=', 2);
    return name === cookieName && form.test(value) ? [value] : [];
  });
  return values.length === 1 ? (values[0] ?? null) : null;
}

/** `id`: absent to take it away. Not for scripts, and not for requests that another site begins (RFC 6265bis, section 5.2). */
export function cookieOf(id: string | null, { secure }: { readonly secure: boolean }): string {
  const attributes = ['Path=/approvals/', 'HttpOnly', 'SameSite=Strict', ...(secure ? ['Secure'] : [])];
  const value = id === null ? `${cookieName}=; Max-Age=0` : `${cookieName}=${id}; Max-Age=${lifetimeMs / 1000}`;
  return [value, ...attributes].join('; ');
}
