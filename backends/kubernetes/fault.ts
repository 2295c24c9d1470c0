/** From answers of the API server to codes, by their status and reason. */
import { CaissonError, type Code } from '../../src/errors.ts';
import { isRecord, parseJson } from '../shared/labels.ts';

const codes: Readonly<Record<number, Code>> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  410: 'unavailable',
  422: 'invalid_argument',
  429: 'resource_exhausted',
};

const remedies: Partial<Record<Code, string>> = {
  unauthenticated:
    'see whether `kubectl get pods` works with the same kubeconfig: the token or certificate may have expired',
  permission_denied: 'apply the Role in docs/kubernetes.md; `caisson doctor` names each missing right',
  resource_exhausted: 'wait; the API server asks for fewer requests',
  unavailable: 'see whether the API server can be reached: `kubectl version`',
};

const mostWords = 300;

/** An answer with a status of failure. */
export class Refusal extends Error {
  readonly status: number;
  /** `Status.reason`, such as `AlreadyExists`. */
  readonly reason: string;
  /** `Status.message`, bounded: for people, never for decisions. */
  readonly words: string;
  readonly retryAfterMs: number | null;

  constructor(status: number, body: string, retryAfter: string | undefined) {
    const said: unknown = parseJson(body);
    const field = (name: string): string => {
      const value = isRecord(said) ? said[name] : undefined;
      return typeof value === 'string' ? value.slice(0, mostWords) : '';
    };
    super(`the API server answered ${status}`);
    this.status = status;
    this.reason = field('reason').slice(0, 60);
    this.words = printable(field('message'));
    this.retryAfterMs = retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
  }
}

export function isRefusal(error: unknown, status: number): error is Refusal {
  return error instanceof Refusal && error.status === status;
}

/** `doing` reads as in "could not ...". */
export function fault(error: unknown, doing: string): CaissonError {
  if (error instanceof CaissonError) return error;
  if (!(error instanceof Refusal))
    return new CaissonError('unavailable', `could not ${doing}: the API server of the cluster does not answer`, {
      cause: error,
      remedy: remedies.unavailable ?? '',
    });
  const code = codes[error.status] ?? 'unavailable';
  const words = error.words === '' ? '' : `: ${error.words}`;
  return new CaissonError(code, `could not ${doing}: the API server answered ${error.status} ${error.reason}${words}`, {
    cause: error,
    details: { status: error.status, reason: error.reason },
    ...(remedies[code] === undefined ? {} : { remedy: remedies[code] }),
  });
}

/** Words of others, for a line of text. */
export function printable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .slice(0, mostWords)
    .trim();
}
