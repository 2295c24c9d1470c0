/** Bodies that are refused before they have come whole. */
import type { IncomingMessage } from 'node:http';

/** A longer body, and one without a length, is answered at once, and its connection is reset. */
const maxDroppedBytes = 16 * 1024 * 1024;

/**
 * Reads the rest of the body, drops it, and calls `answer`. A connection that is closed while a body comes is reset, and the reset
 * overtakes the answer: a client then sees a lost connection, and sends all of it again. `limitBodies` ends the wait.
 */
export function afterBody(request: IncomingMessage, answer: () => void): void {
  const length = Number(request.headers['content-length'] ?? 0);
  if (request.complete || request.destroyed || length === 0 || length > maxDroppedBytes) return answer();
  request.resume().once('end', answer);
}
