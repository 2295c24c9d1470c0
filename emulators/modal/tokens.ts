/** Credentials of one start, and the tokens that are had by them. Every token that was issued holds until it expires. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isRecord } from './record.ts';

export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

export class Tokens {
  readonly credentials: Credentials = {
    id: `ak-${randomBytes(11).toString('hex')}`,
    secret: `as-${randomBytes(24).toString('hex')}`,
  };
  readonly #key = randomBytes(32);
  readonly #nowMs: () => number;
  #notBeforeMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  isOwner(id: string, secret: string): boolean {
    return same(id, this.credentials.id) && same(secret, this.credentials.secret);
  }

  /** `subject`: `client`, or the task whose commands it opens. */
  issue(subject: string, lifeMs: number): string {
    const now = this.#nowMs();
    const head = part({ alg: 'HS256', typ: 'JWT' });
    const body = part({ sub: subject, iat: now / 1000, exp: Math.ceil((now + lifeMs) / 1000), jti: random() });
    return `${head}.${body}.${this.#sign(`${head}.${body}`)}`;
  }

  /** The subject; `null` for what was not issued here, or is over. */
  subjectOf(token: string): string | null {
    const [head = '', body = '', signature = '', ...more] = token.split('.');
    if (more.length > 0 || !same(signature, this.#sign(`${head}.${body}`))) return null;
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    if (!isRecord(claims)) return null;
    const now = this.#nowMs();
    const isOver = Number(claims['exp']) * 1000 <= now || Number(claims['iat']) * 1000 < this.#notBeforeMs;
    return isOver ? null : String(claims['sub']);
  }

  /** Expires all tokens given until now. */
  expireAll(): void {
    this.#notBeforeMs = this.#nowMs();
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function random(): string {
  return randomBytes(8).toString('hex');
}

function same(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
