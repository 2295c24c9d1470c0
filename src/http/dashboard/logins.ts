/**
 * Logins of the dashboard, each of two halves: a cookie, which the browser sends by itself, and a key, which the page alone knows.
 * Cookies know no ports (RFC 6265, section 8.5): a page that a sandbox serves on another port of the same name receives the cookie,
 * and can do nothing with it. Pure but for randomness; nothing is kept beyond the process.
 */
import { hash, randomBytes } from 'node:crypto';

const longestMs = 12 * 60 * 60_000;
const idleMs = 60 * 60_000;
const most = 1000;
const mostOfToken = 32;

const form = /^[A-Za-z0-9_-]{43}$/;
const keyForm = /^page_[A-Za-z0-9_-]{43}$/;

export interface Login {
  /** Its text, so that a token that was removed meanwhile does not hold. */
  readonly token: string;
  /** Fires when the login ends: with it end its streams. */
  readonly ended: AbortSignal;
}

interface Held extends Login {
  readonly cookie: string;
  readonly openedMs: number;
  readonly end: () => void;
  usedMs: number;
}

export interface Halves {
  readonly key: string;
  readonly cookie: string;
}

export class PageLogins {
  /** Logins by the digest of their key, oldest first. */
  readonly #logins = new Map<string, Held>();
  readonly #nowMs: () => number;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** `cookies`: those of the browser. One of a login that lives is taken again, since its other pages depend on it. */
  open(token: string, cookies: readonly string[]): Halves {
    this.endLate();
    const own = [...this.#logins].filter(([, each]) => each.token === token).map(([digest]) => digest);
    if (own.length >= mostOfToken) this.#end(own[0] ?? '');
    if (this.#logins.size >= most) this.#end(this.#logins.keys().next().value ?? '');
    const living = cookies.find((each) => this.#livesOf(hash('sha256', each)));
    const cookie = living ?? randomBytes(32).toString('base64url');
    const key = `page_${randomBytes(32).toString('base64url')}`;
    const ending = new AbortController();
    const now = this.#nowMs();
    this.#logins.set(hash('sha256', key), {
      token,
      openedMs: now,
      usedMs: now,
      cookie: hash('sha256', cookie),
      ended: ending.signal,
      end: () => ending.abort(),
    });
    return { key, cookie };
  }

  /** `null`: the halves do not belong together, or the login has ended. */
  find(key: string, cookies: readonly string[]): Login | null {
    const digest = hash('sha256', key);
    const found = this.#logins.get(digest);
    if (found === undefined) return null;
    if (this.#isLate(found)) {
      this.#end(digest);
      return null;
    }
    if (!cookies.some((each) => hash('sha256', each) === found.cookie)) return null;
    found.usedMs = this.#nowMs();
    return found;
  }

  /** Idempotent. */
  end(key: string): void {
    this.#end(hash('sha256', key));
  }

  /** Tokens of the logins that live. */
  tokens(): ReadonlySet<string> {
    return new Set([...this.#logins.values()].map(({ token }) => token));
  }

  endToken(token: string): void {
    for (const [digest, each] of this.#logins) if (each.token === token) this.#end(digest);
  }

  endLate(): void {
    for (const [digest, each] of this.#logins) if (this.#isLate(each)) this.#end(digest);
  }

  #end(digest: string): void {
    this.#logins.get(digest)?.end();
    this.#logins.delete(digest);
  }

  #isLate({ openedMs, usedMs }: Held): boolean {
    const now = this.#nowMs();
    return now - openedMs >= longestMs || now - usedMs >= idleMs;
  }

  #livesOf(cookie: string): boolean {
    return [...this.#logins.values()].some((each) => each.cookie === cookie);
  }
}

export const isKey = (text: string): boolean => keyForm.test(text);

export interface CookieName {
  /** Tells services of one host apart, which share its cookies. */
  readonly service: string;
  readonly secure: boolean;
}

/** `__Host-` binds it to this host and to https (RFC 6265bis, section 4.1.3.2). */
export const cookieName = ({ service, secure }: CookieName): string =>
  `${secure ? '__Host-' : ''}caisson_page_${service}`;

/**
 * All values under the name: a page on another port can add one of its own, with a narrower path, and would otherwise keep people
 * out. Eight are looked at.
 */
export function cookiesIn(header: string | undefined, name: CookieName): readonly string[] {
  const wanted = cookieName(name);
  const values = (header ?? '').split(';').flatMap((each) => {
    const [given, value = ''] = each.trim().split('=', 2);
    return given === wanted && form.test(value) ? [value] : [];
  });
  return values.slice(0, 8);
}

/** Not for scripts, and not for requests that another site begins. `null` takes it away. */
export function cookieOf(value: string | null, name: CookieName): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(name.secure ? ['Secure'] : [])];
  return [value === null ? `${cookieName(name)}=; Max-Age=0` : `${cookieName(name)}=${value}`, ...attributes].join(
    '; ',
  );
}
