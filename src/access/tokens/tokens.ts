/** Tokens of the service: made, listed, removed, and recognized. Rows of the store, so that a removal holds everywhere at once. */
import type { Audit } from '../../audit/types.ts';
import { CaissonError } from '../../errors.ts';
import { created, everyRow } from '../../store/pages.ts';
import type { Store, TokenRow } from '../../store/store.ts';
import { operator } from '../../values/caller.ts';
import { boundsOf, boundsText } from './bounds.ts';
import { Requests } from './requests.ts';
import { checkTokenInput, digestOf, isToken, newToken, sameDigest, scopes } from './token.ts';
import type { NewToken, TokenInput, TokenView } from './types.ts';

export interface TokensDependencies {
  readonly store: Pick<Store, 'tokens' | 'steadyNow'>;
  readonly audit: Pick<Audit, 'record'>;
  /** Requests of an owner in a minute, by the configuration in force; `undefined`: no limit. */
  readonly requestsPerMinute: (owner: string) => number | undefined;
}

export class Tokens {
  readonly #parts: TokensDependencies;
  readonly #requests = new Requests(() => performance.now());

  constructor(parts: TokensDependencies) {
    this.#parts = parts;
  }

  /** On record before it can be used. */
  async create(input: TokenInput, by: string): Promise<NewToken> {
    checkTokenInput(input);
    const { store, audit } = this.#parts;
    const { id, token, digest } = newToken();
    const createdAt = store.steadyNow();
    const expiresAt = input.lifetimeMs === undefined ? null : createdAt + Math.ceil(input.lifetimeMs);
    const { name, owner = operator } = input;
    const { execs = null, requestsPerMinute = null } = input.limits ?? {};
    const limits = { execs, requestsPerMinute };
    const bounds = boundsOf(input);
    const kept = { id, owner, name, scopes: [...new Set(input.scopes)], bounds, createdAt, expiresAt, limits };
    await audit.record(
      entry('token-created', { token: id, owner, scopes: kept.scopes, bounds: boundsText(bounds), by }),
    );
    await store.tokens.insert({ ...kept, digest });
    return { ...viewOf({ ...kept, digest }), token };
  }

  async list(): Promise<readonly TokenView[]> {
    const { tokens } = this.#parts.store;
    return (await Array.fromAsync(everyRow((page) => tokens.list(page), created))).map(viewOf);
  }

  async remove(id: string, by: string): Promise<void> {
    const { store, audit } = this.#parts;
    if (!(await store.tokens.delete(id)))
      throw new CaissonError('not_found', `there is no token ${JSON.stringify(id.slice(0, 64))}`, {
        remedy: 'caisson token ls',
      });
    await audit.record(entry('token-removed', { token: id, by }));
  }

  async authenticate(token: string): Promise<TokenView | null> {
    if (!isToken(token)) return null;
    const digest = digestOf(token);
    const row = await this.#parts.store.tokens.byDigest(digest);
    if (row === null || !sameDigest(row.digest, digest)) return null;
    return row.expiresAt !== null && row.expiresAt <= this.#parts.store.steadyNow() ? null : viewOf(row);
  }

  async admit({ id, owner, limits }: Pick<TokenView, 'id' | 'owner' | 'limits'>): Promise<void> {
    const bounds = [
      { of: `owner ${owner}`, max: this.#parts.requestsPerMinute(owner) ?? null },
      { of: `token ${id}`, max: limits.requestsPerMinute },
    ];
    this.#requests.count(bounds.flatMap(({ of, max }) => (max === null ? [] : [{ of, max }])));
    await Promise.resolve();
  }
}

function viewOf({ id, owner, name, scopes: kept, bounds, createdAt, expiresAt, limits }: TokenRow): TokenView {
  return {
    id,
    owner,
    name,
    bounds,
    scopes: scopes.filter((scope) => kept.includes(scope)),
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    limits,
  };
}

function entry(
  what: string,
  {
    by,
    ...facts
  }: {
    readonly by: string;
    readonly token: string;
    readonly owner?: string;
    readonly scopes?: string[];
    readonly bounds?: readonly string[];
  },
) {
  return {
    type: 'access',
    taskId: null,
    execId: null,
    what,
    platform: 'service',
    ...facts,
    by: by.slice(0, 200),
  } as const;
}
