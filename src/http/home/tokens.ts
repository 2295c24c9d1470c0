/**
 * The two tokens by which the command line of this host reaches the service. They are in memory and in two files of the state
 * directory, hold on its socket alone, and end with the service.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope, TokenView } from '../../service/api.ts';
import { httpError } from '../problems.ts';
import type { Bearer } from '../types.ts';

/** What the operator may do without being the one who answers. */
const askScopes: readonly Scope[] = ['run', 'read', 'admin'];
const answerScopes: readonly Scope[] = ['approve', 'admin'];
const operator = 'operator';

export const answerHeader = 'caisson-answer';

interface HomeToken {
  readonly token: string;
  readonly view: TokenView;
}

export class HomeTokens {
  readonly #ask: HomeToken;
  readonly #answer: HomeToken;

  constructor(startedAt: string) {
    this.#ask = held('command-line-ask', askScopes, startedAt);
    this.#answer = held('command-line-answer', answerScopes, startedAt);
  }

  get ask(): string {
    return this.#ask.token;
  }

  get answer(): string {
    return this.#answer.token;
  }

  /**
   * `null`: it is another token. `decisions`: every header by which the answer token may come with the other. Throws 401 for one
   * that does not hold.
   */
  bearerOf(token: string, decisions: readonly string[]): Bearer | null {
    if (isSame(token, this.#answer.token)) return { ...this.#answer.view, commandLine: { decides: false } };
    if (!isSame(token, this.#ask.token)) return null;
    const [decision] = decisions;
    if (decision === undefined) return { ...this.#ask.view, commandLine: { decides: false } };
    if (decisions.length > 1 || !isSame(decision, this.#answer.token))
      throw httpError(401, `the token of the header ${answerHeader} does not hold`);
    return { ...this.#ask.view, commandLine: { decides: true } };
  }
}

function held(name: string, scopes: readonly Scope[], createdAt: string): HomeToken {
  const view = { id: `tok_${randomBytes(8).toString('hex')}`, owner: operator, name, scopes, bounds: null };
  const limits = { execs: null, requestsPerMinute: null };
  const token = `caisson_${randomBytes(32).toString('base64url')}`;
  return { token, view: { ...view, createdAt, expiresAt: null, limits } };
}

/** In a time that does not depend on where they differ. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
