/** `GET /metrics`. The path lies outside of the API: its page is of another format, and has no version in its path. */
import type { FastifyInstance } from 'fastify';
import { apiOf } from '../service/owned.ts';
import { checkScope } from './admit.ts';
import { callerIn } from './caller.ts';
import type { Service } from './types.ts';

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export function mountMetrics(app: FastifyInstance, service: Service): void {
  app.get('/metrics', async (request, reply) => {
    const token = callerIn(request);
    checkScope(token, 'read');
    const sockets = app.websocketServer.clients.size;
    const page = await service.metrics.page(apiOf(service.api, token), sockets);
    return await reply.type(contentType).send(page);
  });
}
