/** Errors of the service as the library throws them: RFC 9457 becomes a `CaissonError` with the same code, message, details and remedy. */
import { CaissonError, codes, type Code, type Details } from '../../errors.ts';

const maxTextUnits = 16_384;

/** Codes of answers that are no problem of Caisson: those of a proxy, or of another service. */
const byStatus: Readonly<Record<number, Code>> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  405: 'not_supported',
  406: 'not_supported',
  409: 'conflict',
  410: 'not_found',
  412: 'failed_precondition',
  413: 'resource_exhausted',
  421: 'permission_denied',
  422: 'invalid_argument',
  429: 'resource_exhausted',
  499: 'canceled',
  501: 'not_supported',
  502: 'unavailable',
  503: 'unavailable',
  504: 'timed_out',
};

/** `status`: of the answer; `null`: the problem came in a stream. `text`: bounded, of a stranger. */
export function responseError(status: number | null, text: string): CaissonError {
  const problem = parsed(text);
  if (isObject(problem) && isCodeName(problem['code'])) return problemError(problem['code'], problem, status);
  const code = byStatus[status ?? 0] ?? 'internal';
  return new CaissonError(code, `the service answered with status ${status ?? 'unknown'}, and without a reason`, {
    remedy: 'check that the address is that of `caisson serve`, and what lies between',
  });
}

/** What a stream says of its end. */
export const eventError = (problem: unknown): CaissonError => responseError(null, JSON.stringify(problem ?? null));

function problemError(code: Code, problem: Readonly<Record<string, unknown>>, status: number | null): CaissonError {
  const { detail, remediation, details, requestId } = problem;
  const place = status === null ? 'in a stream' : `status ${status}`;
  const request = typeof requestId === 'string' ? `, request ${bounded(requestId)}` : '';
  return new CaissonError(code, typeof detail === 'string' ? bounded(detail) : 'the service gave no reason', {
    ...(isObject(details) ? { details } : {}),
    ...(typeof remediation === 'string' ? { remedy: bounded(remediation) } : {}),
    cause: new Error(`the service answered: ${place}${request}`),
  });
}

const bounded = (text: string): string => text.slice(0, maxTextUnits);
const isCodeName = (value: unknown): value is Code => typeof value === 'string' && Object.hasOwn(codes, value);
const isObject = (value: unknown): value is Details =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
