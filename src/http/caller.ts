/** The token of a request, which stands in it from the moment at which it was recognized. */
import type { FastifyRequest } from 'fastify';
import { httpError } from './problems.ts';
import type { Bearer } from './types.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Bearer | null;
  }
}

export function callerIn({ caller }: FastifyRequest): Bearer {
  if (caller === null) throw httpError(401, 'no valid token');
  return caller;
}
