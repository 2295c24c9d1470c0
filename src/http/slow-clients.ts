/** Clients that hold a connection and send next to nothing: they need no token, and all descriptors of the process would be theirs. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Server } from 'node:http';

/** A body of JSON, or of a form, has come whole by then. Bodies of bytes have a lowest rate instead. */
export const bodyMs = 60_000;
/** Connections take at most such a share of the descriptors: engines, sandboxes and the store need the others. */
const connectionShare = 0.5;
const defaultDescriptors = 1024;
/** The head of a request has come by then, at the next look of Node, which looks every 30 seconds. */
const headMs = 20_000;

/** Closes the connection of a client whose body is not complete in time. */
export function limitBodies(app: FastifyInstance, maxMs: number): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasSmallBody(request)) {
      const late = setTimeout(() => request.raw.socket.destroy(), maxMs);
      request.raw.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late));
    }
    done(null, payload);
  });
}

/** Further connections are closed as they come, and those whose first line does not come. */
export function limitConnections(server: Pick<Server, 'maxConnections' | 'headersTimeout'>): void {
  server.headersTimeout = headMs;
  server.maxConnections = Math.floor(descriptors() * connectionShare);
}

function hasSmallBody({ headers }: FastifyRequest): boolean {
  const comes = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return comes && headers['content-type'] !== 'application/octet-stream';
}

/** How many files and sockets this process may have open. */
function descriptors(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? defaultDescriptors : Number(soft);
  } catch {
    return defaultDescriptors;
  }
}
