/** Errors as JSON-RPC has them. */
import { CaissonError, isCode, toCaissonError } from '../errors.ts';
import type { Message } from '../lib/message-lines.ts';

export const methodNotFound = -32_601;
const invalidParams = -32_602;
const internal = -32_603;
const canceled = -32_800;
const notFound = -32_002;
const refused = -32_000;
const maxUnits = 2000;

/** The answer to a request that failed. The message is for the agent, which may correct itself by it. */
export function errorAnswer(id: unknown, error: unknown): Message {
  const { code, message, remedy } = toCaissonError(error);
  const text = remedy === undefined || remedy === null ? message : `${message} (${remedy})`;
  return { jsonrpc: '2.0', id, error: { code: numberOf(error), message: text.slice(0, maxUnits), data: { code } } };
}

function numberOf(error: unknown): number {
  if (isCode(error, 'not_supported')) return methodNotFound;
  if (isCode(error, 'invalid_argument')) return invalidParams;
  if (isCode(error, 'not_found')) return notFound;
  if (isCode(error, 'canceled')) return canceled;
  return isCode(error, 'internal') ? internal : refused;
}

export function argumentError(message: string): CaissonError {
  return new CaissonError('invalid_argument', message);
}
