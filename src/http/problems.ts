/** Errors as clients see them: RFC 9457, with a code to decide by, what to do next, and the id of the request in the log. */
import { CaissonError, codes, toCaissonError } from '../errors.ts';
import { InvalidRequest } from './invalid.ts';
import { given } from '../lib/given.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly remediation: string | null;
  readonly requestId: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** What the HTTP server itself refuses, by its codes. */
const refusals: Readonly<Record<string, readonly [status: number, message: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'the body is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'the body is of a type that this route does not take'],
  FST_ERR_CTP_EMPTY_TYPE: [415, 'the body has no type'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'the body is not as long as Content-Length says'],
  FST_ERR_NOT_FOUND: [404, 'there is no such route'],
  FST_ERR_BAD_URL: [400, 'the address has a % that two hexadecimal digits do not follow, or bytes that are not UTF-8'],
  FST_ERR_MAX_PARAM_LENGTH: [414, 'a part of the address is too long'],
  HPE_HEADER_OVERFLOW: [431, 'the address and the headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not come in time'],
};

/** A refusal of HTTP itself, with a status that its code does not have, and what its status needs in the head. */
export class HttpRefusal extends CaissonError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, error: CaissonError, headers: HttpRefusal['headers'] = {}) {
    super(error.code, error.message, {
      details: error.details,
      ...(error.remedy === null ? {} : { remedy: error.remedy }),
    });
    this.status = status;
    this.headers = headers;
  }
}

export function httpError(status: number, message: string, remedy?: string): HttpRefusal {
  const code = Object.entries(byStatus).find(([each]) => Number(each) === status)?.[1] ?? 'invalid_argument';
  const details = status === 413 ? { reason: 'too-large' } : undefined;
  return new HttpRefusal(status, new CaissonError(code, message, given({ details, remedy })));
}

const byStatus = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  429: 'resource_exhausted',
  503: 'unavailable',
} as const;

export function problemOf(error: unknown, requestId: string): Problem {
  const known = error instanceof CaissonError ? error : (serverError(error) ?? toCaissonError(error));
  const { code, message, retryable, remedy, details } = known;
  const status = known instanceof HttpRefusal ? known.status : codes[code].http;
  return {
    type: 'about:blank',
    title: titles[code],
    status,
    code,
    retryable,
    requestId,
    // A defect shows nothing but the id under which the log has it.
    detail: code === 'internal' ? 'unexpected failure' : message,
    remediation: code === 'internal' ? 'report it with the requestId' : remedy,
    details: code === 'internal' ? {} : details,
    ...(known instanceof InvalidRequest ? { errors: known.errors } : {}),
  };
}

/** What HTTP wants in the head beside the problem: how to show a token, and the seconds until a limit has room (RFC 9110). */
export function headersOf(error: unknown, { status, details }: Problem): Readonly<Record<string, string>> {
  if (error instanceof HttpRefusal && Object.keys(error.headers).length > 0) return error.headers;
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  const { retryAfterSeconds } = details;
  return status === 429 && Number.isSafeInteger(retryAfterSeconds) ? { 'retry-after': String(retryAfterSeconds) } : {};
}

function serverError(error: unknown): CaissonError | null {
  const code: unknown = Reflect.get(Object(error), 'code');
  // The parser of bodies gives a status to what ends a connection.
  if (Reflect.get(Object(error), 'statusCode') === 400 && code === 'ECONNRESET')
    return httpError(400, 'the body broke off');
  const known = typeof code === 'string' && Object.hasOwn(refusals, code) ? refusals[code] : undefined;
  return known === undefined ? null : httpError(known[0], known[1]);
}

const titles: Readonly<Record<keyof typeof codes, string>> = {
  invalid_argument: 'Invalid request',
  unauthenticated: 'No valid token',
  permission_denied: 'Not allowed',
  not_found: 'Not found',
  already_exists: 'Already there',
  failed_precondition: 'Not possible now',
  conflict: 'Conflict',
  policy_denied: 'Denied by policy',
  approval_required: 'Needs an approval',
  not_supported: 'Not supported',
  resource_exhausted: 'Too much',
  timed_out: 'Timed out',
  canceled: 'Canceled',
  unavailable: 'Unavailable',
  internal: 'Internal error',
};
