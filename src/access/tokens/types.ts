/** Tokens of the service, as front ends see them. */
import type { Bounds } from '../../values/caller.ts';
import type { Label } from '../../values/labels.ts';

/**
 * `run`: sandboxes, commands, files. `read`: lists, records, states. `approve`: answers questions about commands. `admin`: what
 * concerns the whole installation. None includes another.
 */
export type Scope = 'run' | 'read' | 'approve' | 'admin';

export interface TokenInput extends TokenBounds {
  /** For people. */
  readonly name: string;
  /** Verbs that it may call; at least one. */
  readonly scopes: readonly Scope[];
  /** Whose sandboxes its bearer has. Absent: the operator. The scope `admin` is the operator's alone. */
  readonly owner?: string;
  /** Absent: no end of its own. */
  readonly lifetimeMs?: number;
  /** Beside those of its owner. */
  readonly limits?: Partial<TokenLimits>;
}

/** `null`: those of its owner alone. */
export interface TokenLimits {
  /** Commands at the same time. */
  readonly execs: number | null;
  /** To one service. */
  readonly requestsPerMinute: number | null;
}

/** What a token may be bound to beside its owner. Not with the scope `admin`. */
export interface TokenBounds {
  /** The only task that it sees and makes. Not together with `label`. */
  readonly task?: string;
  /** It sees only sandboxes with this label, makes them with it, and sets no labels. */
  readonly label?: Label;
  /** From what it may make sandboxes, and where; the first is taken where a request does not say. */
  readonly images?: readonly string[];
  /** Backends that it may use. Absent: all. */
  readonly backends?: readonly string[];
}

/** Never the token itself: only its SHA-256 is kept. */
export interface TokenView {
  /** `tok_` and 16 characters of [a-z0-9]. */
  readonly id: string;
  /** Owner whose sandboxes its bearer has. */
  readonly owner: string;
  /** Name for people, as it was given. */
  readonly name: string;
  /** Verbs that it may call. */
  readonly scopes: readonly Scope[];
  /** `null`: bound to nothing but its owner. */
  readonly bounds: Bounds | null;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; `null`: it has no end. */
  readonly expiresAt: string | null;
  /** Limits of the token itself, beside those of its owner. */
  readonly limits: TokenLimits;
}

export interface NewToken extends TokenView {
  /** Shown here, and never again. */
  readonly token: string;
}

export interface TokensApi {
  /** Throws `permission_denied` inside a command that Caisson runs. */
  create(input: TokenInput, by: string): Promise<NewToken>;
  /** Oldest first, also those whose time has ended. */
  list(): Promise<readonly TokenView[]>;
  /** From the next request on. Throws `not_found`, `permission_denied` inside a command that Caisson runs. */
  remove(id: string, by: string): Promise<void>;
  /** Whose token it is; `null` for one that does not hold, whatever is wrong with it. */
  authenticate(token: string): Promise<TokenView | null>;
  /** Counts one request of the token and its owner. Throws `resource_exhausted` when there were too many within a minute. */
  admit(token: Pick<TokenView, 'id' | 'owner' | 'limits'>): Promise<void>;
}
