/** Tokens of the service, as front ends see them. */

/**
 * `run`: sandboxes, commands, files. `read`: lists, records, states. `approve`: answers questions about commands. `admin`: what
 * concerns the whole installation. None includes another.
 */
export type Scope = 'run' | 'read' | 'approve' | 'admin';

export interface TokenInput {
  /** For people. */
  readonly name: string;
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

/** Never the token itself: only its SHA-256 is kept. */
export interface TokenView {
  /** `tok_` and 16 characters of [a-z0-9]. */
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; `null`: it has no end. */
  readonly expiresAt: string | null;
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
