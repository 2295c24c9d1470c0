/** The token of a request, which stands in it from the moment at which it was recognized. */
import type { FastifyRequest } from 'fastify';
import type { TokenView } from '../service/api.ts';
import { refusal } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: TokenView | null;
  }
}

export function callerIn({ caller }: FastifyRequest): TokenView {
  if (caller === null) throw refusal(401, 'no valid token');
  return caller;
}
