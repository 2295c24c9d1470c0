/** `/mcp`: the Model Context Protocol. Loaded with its first request, as most services have none. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { remembered } from '../lib/remembered.ts';
import type { Endpoint } from '../mcp/http/endpoint.ts';
import { callerIn } from './caller.ts';
import { everyAnswer } from './failures.ts';
import { everyHeader } from './hooks/host.ts';
import { httpError } from './problems.ts';
import type { Service } from './types.ts';
import { given } from '../lib/given.ts';

export function mountMcp(app: FastifyInstance, service: Service): void {
  const open = remembered(() => openEndpoint(service));
  app.addHook('preClose', async () => await (await open.current()?.catch(() => null))?.close());
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    // Its GET is a stream of a session, which has no head of its own.
    exposeHeadRoute: false,
    url: '/mcp',
    onRequest: (request, _reply, done) => {
      const { scopes } = callerIn(request);
      if (!scopes.includes('run') && !scopes.includes('read'))
        throw httpError(403, 'this needs a token with the scope run or read', 'caisson token create NAME --scope run');
      done();
    },
    handler: async (request, reply) => {
      const endpoint = await open();
      reply.hijack();
      for (const [name, value] of Object.entries(everyAnswer(request))) reply.raw.setHeader(name, value);
      const admitted = {
        token: callerIn(request),
        body: request.body,
        requestId: request.id,
        baseUrl: baseUrlOf(request),
      };
      await endpoint.handle(request.raw, reply.raw, admitted).catch(() => reply.raw.destroy());
    },
  });
}

async function openEndpoint(service: Service): Promise<Endpoint> {
  const { openEndpoint: open } = await import('../mcp/http/endpoint.ts');
  return open({
    api: service.api,
    closing: service.closing,
    ...given({ limits: service.mcpLimits }),
    // Its stdin is never open.
    started: (token, running) => {
      const { id, exit } = running;
      service.live.add(token, { id, exit, stdin: null, cancel: async () => await running.cancel() });
    },
  });
}

/** The address that the client uses, which was checked. A socket of this host has no address that a browser opens. */
function baseUrlOf({ raw, protocol }: FastifyRequest): string | null {
  const [host] = everyHeader(raw.rawHeaders, 'host');
  return host === undefined || raw.socket.remoteAddress === undefined ? null : `${protocol}://${host}`;
}
