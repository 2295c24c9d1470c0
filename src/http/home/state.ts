/** What a service says of itself to the command line of its host: `caisson service status`. */
import type { FastifyInstance } from 'fastify';
import { checkScope } from '../admit.ts';
import { callerIn } from '../caller.ts';
import type { Pending } from '../../service/api.ts';
import type { Service } from '../types.ts';

/** What it was started with, as it was typed. */
export type Flags = Readonly<Record<string, string>>;

export interface ServiceState {
  /** Commands that it runs for clients. */
  readonly execs: number;
  /** Answers that are sent as events, and sockets. */
  readonly streams: number;
  /** RFC 3339; `null`: it has something to do. */
  readonly idleSince: string | null;
  readonly flags: Flags;
  /** Differences of the configuration file from what was read. */
  readonly pending: Pending;
}

export function mountState(app: FastifyInstance, { api, live, activity }: Service, flags: Flags): void {
  const stateNow = async (): Promise<ServiceState> => {
    const pending = await api.config.pending();
    const { streams, idleSince } = activity;
    return { execs: live.size, streams, idleSince: idleSince?.toISOString() ?? null, flags, pending };
  };
  app.route({
    method: 'GET',
    url: '/service',
    handler: async (request, reply) => {
      checkScope(callerIn(request), 'read');
      return await reply.send(await stateNow());
    },
  });
}
