/** The token of a request, which stands in it from the moment at which it was recognized. */
import type { FastifyRequest } from 'fastify';
import type { TokenView } from '../service/api.ts';
import { refusal } from './problems.ts';

export interface Bearer extends TokenView {
  /** Rights of the command line of this host, on the socket of the state directory. Absent: any other client. */
  readonly commandLine?: {
    /** It has the token of the person who answers as well: what is said with the request is decided. */
    readonly decides: boolean;
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Bearer | null;
  }
}

export function callerIn({ caller }: FastifyRequest): Bearer {
  if (caller === null) throw refusal(401, 'no valid token');
  return caller;
}
