/** Turns what the engine, or the way to it, did wrong into a typed error. Only statuses and system codes are read. */
import { CaissonError, isCode, type Code } from '../../../src/errors.ts';
import { number, object, text } from './json.ts';

const byStatus: Readonly<Record<number, Code>> = {
  400: 'invalid_argument',
  401: 'permission_denied',
  403: 'permission_denied',
  404: 'not_found',
  409: 'failed_precondition',
  429: 'resource_exhausted',
  501: 'not_supported',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
  507: 'resource_exhausted',
};

/** Podman answers 500 where Docker answers 409; the causes are fixed texts of its own (libpod/define/errors.go). */
const conflicts: ReadonlySet<unknown> = new Set(['that name is already in use', 'container state improper']);

const maxWords = 600;

export interface Context {
  /** What was tried: "create the container". */
  readonly what: string;
  /** Address on which the engine listens. */
  readonly endpoint: string;
  /** Keeps the engine's own words out of the message, since they may repeat a value that we sent. */
  readonly quiet?: boolean;
}

/** HTTP status of a failed request, or `null` when there was no answer. */
export function statusOf(error: unknown): number | null {
  return error instanceof CaissonError ? number(error.details['status']) : null;
}

/** Whether the engine is away, by its silence or its word (502 to 504). An answer of 500 may be about the request. */
export function isAway(error: unknown): boolean {
  return isCode(error, 'unavailable') && statusOf(error) !== 500;
}

export function toEngineError(error: unknown, context: Context): CaissonError {
  if (error instanceof CaissonError) return error;
  const status = number(object(error)['statusCode']);
  return status === null ? connectionError(error, context) : answerError(error, status, context);
}

function answerError(error: unknown, status: number, context: Context): CaissonError {
  const { json } = object(error);
  const words = context.quiet ? '' : engineWords(json) || streamWords(error);
  return new CaissonError(
    codeOf(status, object(json)['cause']),
    `could not ${context.what}: ${words || `the engine answered ${status}`}`,
    {
      details: { status },
      cause: error,
      ...(status === 500 ? { remedy: 'try again; if it stays so, the log of the engine says why' } : {}),
    },
  );
}

/** The engine answers 500 when its connection breaks, when it shuts down, and when it fails. */
function codeOf(status: number, cause: unknown): Code {
  if (conflicts.has(cause)) return 'failed_precondition';
  return byStatus[status] ?? (status >= 500 ? 'unavailable' : 'internal');
}

/** Bounded, on one line, without control characters: images and containers have a say in these words. */
export function engineWords(body: unknown): string {
  const words = text(object(body)['message']) ?? text(object(body)['error']) ?? '';
  return printable(words);
}

/** The words of a failed stream, which docker-modem puts behind the status and its own name for it. */
function streamWords(error: unknown): string {
  return error instanceof Error ? printable(error.message.replace(/^\(HTTP code \d+\) .*? - /, '')) : '';
}

export function printable(words: string): string {
  return words
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, maxWords);
}

function connectionError(error: unknown, context: Context): CaissonError {
  const code = text(object(error)['code']);
  return new CaissonError('unavailable', `could not ${context.what}: ${connectionWords(code, context.endpoint)}`, {
    details: { endpoint: context.endpoint, ...(code === null ? {} : { system: code }) },
    cause: error,
    remedy: connectionRemedy(code, context.endpoint),
  });
}

function connectionWords(code: string | null, endpoint: string): string {
  if (code === 'ENOENT') return `there is no engine at ${endpoint}`;
  if (code === 'EACCES' || code === 'EPERM') return `this user may not use ${endpoint}`;
  if (code === 'ECONNREFUSED') return `nothing listens at ${endpoint}`;
  return `the connection to ${endpoint} failed${code === null ? '' : ` (${code})`}`;
}

function connectionRemedy(code: string | null, endpoint: string): string {
  if (code === 'EACCES' || code === 'EPERM') {
    return 'add the user to the group of the socket (usermod -aG docker USER, then log in again; that group is root on this machine), or use a rootless engine';
  }
  if (code === 'ENOENT') {
    return `install and start Docker or Podman (Debian: apt-get install docker.io && systemctl start docker), or set DOCKER_HOST or terminal.docker_host to where its socket is; looked at ${endpoint}`;
  }
  return `start the engine behind ${endpoint} (systemctl start docker), or set DOCKER_HOST or terminal.docker_host to where one listens`;
}
