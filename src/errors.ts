/**
 * The one error class and the one code table of Caisson.
 *
 * A code says what kind of thing went wrong; the message says it to a person, the way they can act on it.
 * What a *command* did is never an error: it is an exit (see `exec/exit.ts`). An error means that Caisson could not
 * give the caller what was asked, and that nothing half-made was left behind.
 *
 * The codes are those of google.rpc.Code, with three of our own (`policy_denied`, `approval_required`,
 * `not_supported`); HTTP statuses follow RFC 9110.
 */

export const codes = {
  /** The request itself is wrong, whatever the state of the system. */
  invalid_argument: { http: 422, exitCode: 125, retryable: false },
  unauthenticated: { http: 401, exitCode: 125, retryable: false },
  permission_denied: { http: 403, exitCode: 125, retryable: false },
  not_found: { http: 404, exitCode: 125, retryable: false },
  already_exists: { http: 409, exitCode: 125, retryable: false },
  /** The request is fine, the state of the system is not: start the engine, fill the config, unlock the file. */
  failed_precondition: { http: 412, exitCode: 125, retryable: false },
  /** Someone else holds it, or it exists with another spec. */
  conflict: { http: 409, exitCode: 125, retryable: false },
  policy_denied: { http: 403, exitCode: 126, retryable: false },
  approval_required: { http: 403, exitCode: 126, retryable: false },
  /** The backend cannot give a control or ability that was asked for; nothing was started. */
  not_supported: { http: 501, exitCode: 125, retryable: false },
  resource_exhausted: { http: 429, exitCode: 125, retryable: true },
  /** A step of Caisson's own ran out of time. A command that ran out of time has an exit instead. */
  timed_out: { http: 504, exitCode: 124, retryable: true },
  canceled: { http: 499, exitCode: 130, retryable: false },
  /** The backend cannot be reached, or lost the connection. */
  unavailable: { http: 503, exitCode: 125, retryable: true },
  /** A bug in Caisson, or an answer from a backend that breaks its own protocol. */
  internal: { http: 500, exitCode: 125, retryable: false },
} as const satisfies Record<string, { http: number; exitCode: number; retryable: boolean }>;

export type Code = keyof typeof codes;

/** Plain JSON. Never a secret, never a value of an environment variable. */
export type Details = Readonly<Record<string, unknown>>;

export interface ErrorOptions {
  /** Facts for programs, by code. */
  readonly details?: Details;
  /** Error that led to this one. */
  readonly cause?: unknown;
  /** What the reader can do next, in one sentence or command. */
  readonly remedy?: string;
}

/** Every entry point of the package has this class, the client a copy of its own: `instanceof` holds across them. */
const brand = Symbol.for('caisson.error');

export class CaissonError extends Error {
  /** Name of the class, for `toString` and logs. */
  override readonly name = 'CaissonError';
  /** Stable code; front ends map it to a status or an exit code. */
  readonly code: Code;
  /** Facts for programs, by code. */
  readonly details: Details;
  /** Sentence or command that the reader can use next. `null`: none is known. */
  readonly remedy: string | null;

  constructor(code: Code, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.remedy = options.remedy ?? null;
    Object.defineProperty(this, brand, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass inherits this, and means its own instances.
    return this === CaissonError
      ? value instanceof Error && brand in value
      : Function.prototype[Symbol.hasInstance].call(this, value);
  }

  /** Whether a repeated call may succeed without a change. */
  get retryable(): boolean {
    return codes[this.code].retryable;
  }

  /** What front ends print and send: no stack, no cause, since both may hold words of a third party. */
  toJSON(): { code: Code; message: string; retryable: boolean; remedy: string | null; details: Details } {
    const { code, message, retryable, remedy, details } = this;
    return { code, message, retryable, remedy, details };
  }
}

export function isCode(error: unknown, code: Code): error is CaissonError {
  return error instanceof CaissonError && error.code === code;
}

/**
 * Gives any thrown value a code: a CaissonError stays as it is, everything else is a defect. Its own words (a TypeError, an
 * error of a library) explain nothing to a user and may hold anything, so that they stay in the cause; an errno is kept.
 */
export function toCaissonError(error: unknown): CaissonError {
  if (error instanceof CaissonError) return error;
  const kind = error instanceof Error ? error.name : typeof error;
  const errno = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  return new CaissonError('internal', `unexpected failure: ${errno ?? kind}`, {
    cause: error,
    remedy: 'run it again with CAISSON_DEBUG=1, which shows where, and report it',
  });
}

/** The typed form of an aborted signal: `canceled`, or `timed_out` when the reason was a deadline. */
export function abortError(signal: AbortSignal): CaissonError {
  const reason: unknown = signal.reason;
  if (reason instanceof CaissonError) return reason;
  const late = reason instanceof Error && reason.name === 'TimeoutError';
  return new CaissonError(late ? 'timed_out' : 'canceled', late ? 'the step took too long' : 'canceled', {
    cause: reason,
  });
}
