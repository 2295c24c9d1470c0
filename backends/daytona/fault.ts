/** From errors of the SDK to codes, by their status alone. */
import { CaissonError, type Code } from '../../src/errors.ts';

const codes: Readonly<Record<number, Code>> = {
  400: 'failed_precondition',
  401: 'unauthenticated',
  402: 'resource_exhausted',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  422: 'invalid_argument',
  429: 'resource_exhausted',
};

const remedies: Partial<Record<Code, string>> = {
  unauthenticated: 'set DAYTONA_API_KEY to a key that is valid, and see whether it has expired',
  permission_denied: 'see what the key may do: it needs to create, read, change and delete sandboxes',
  resource_exhausted: 'see the limits of your account, or wait',
  unavailable: 'see whether DAYTONA_API_URL can be reached',
};

export function statusOf(error: unknown): number | null {
  const status: unknown = Reflect.get(Object(error), 'statusCode');
  return typeof status === 'number' ? status : null;
}

/** `doing` reads as in "could not ...". The SDK's error itself is left out: it holds what was sent. */
export function daytonaError(error: unknown, doing: string): CaissonError {
  if (error instanceof CaissonError) return error;
  const status = statusOf(error);
  const code = status === null ? 'unavailable' : (codes[status] ?? 'unavailable');
  const name = error instanceof Error ? error.constructor.name.slice(0, 60) : 'unknown';
  return new CaissonError(
    code,
    `could not ${doing}: Daytona ${status === null ? 'does not answer' : `answered ${status}`}`,
    {
      cause: new Error(name),
      details: { status },
      remedy: remedies[code] ?? 'see the sandbox in the dashboard of Daytona',
    },
  );
}

/** Seconds that the service asks to wait, as milliseconds; `null`: it does not say. */
export function retryAfterMs(error: unknown): number | null {
  const headers: unknown = Reflect.get(Object(error), 'headers');
  if (typeof headers !== 'object' || headers === null) return null;
  for (const [name, value] of Object.entries(headers))
    if (/^retry-after/i.test(name) && /^\d{1,6}$/.test(String(value))) return Number(value) * 1000;
  return null;
}
