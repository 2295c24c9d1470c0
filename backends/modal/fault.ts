/** From errors of the SDK to codes: by the status of gRPC, or by the class. */
import { CaissonError, type Code } from '../../src/errors.ts';

/** Statuses of gRPC by their number, as google.rpc.Code has them. */
const codes: Readonly<Record<number, Code>> = {
  1: 'unavailable',
  3: 'invalid_argument',
  4: 'unavailable',
  5: 'not_found',
  6: 'already_exists',
  7: 'permission_denied',
  8: 'resource_exhausted',
  9: 'failed_precondition',
  12: 'not_supported',
  13: 'unavailable',
  14: 'unavailable',
  16: 'unauthenticated',
};

const classes: Readonly<Record<string, Code>> = {
  NotFoundError: 'not_found',
  AlreadyExistsError: 'already_exists',
  ConflictError: 'not_found',
  InvalidError: 'invalid_argument',
  TimeoutError: 'unavailable',
  ResourceExhaustedError: 'resource_exhausted',
  ClientClosedError: 'failed_precondition',
};

const remedies: Readonly<Partial<Record<Code, string>>> = {
  unauthenticated: 'set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or run `modal token set`',
  permission_denied: 'use a token of the workspace that owns the app',
  resource_exhausted: 'wait, or see what runs in the account: caisson doctor modal',
  unavailable: 'look whether the service can be reached: caisson doctor modal',
};

/** `doing` reads as in "could not ...". The words of the service stay in the cause: they may hold anything. */
export function modalError(error: unknown, doing: string): CaissonError {
  if (error instanceof CaissonError) return error;
  const code = codeOf(error);
  const remedy = remedies[code];
  return new CaissonError(code, `could not ${doing}: ${reasons[code] ?? 'the SDK of Modal failed'}`, {
    cause: error,
    ...(remedy === undefined ? {} : { remedy }),
  });
}

const reasons: Readonly<Partial<Record<Code, string>>> = {
  unauthenticated: 'Modal does not accept the credentials',
  permission_denied: 'the credentials do not allow it',
  unavailable: 'Modal does not answer',
  resource_exhausted: 'Modal has no room, or is asked too often',
  not_found: 'Modal does not have it',
  already_exists: 'the name is taken',
  invalid_argument: 'Modal refuses the request',
  failed_precondition: 'Modal cannot do it in this state',
  not_supported: 'Modal does not offer it',
};

export function codeOf(error: unknown): Code {
  if (error instanceof CaissonError) return error.code;
  if (!(error instanceof Error)) return 'internal';
  const status: unknown = Reflect.get(error, 'code');
  if (typeof status === 'number') return codes[status] ?? 'internal';
  // Without credentials the SDK throws a plain error at its first call.
  return classes[error.constructor.name.replace(/\d+$/, '')] ?? 'internal';
}
