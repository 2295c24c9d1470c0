/** The socket by which faults are asked for: JSON over HTTP, closed to other users. */
import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { isRecord } from './record.ts';

/** Work of each order by its name; it resolves to the answer. */
export type Orders = Readonly<Record<string, (order: Readonly<Record<string, unknown>>) => Promise<unknown>>>;

/** `POST /NAME` with an object. */
export async function listenForFaults(path: string, orders: Orders): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, orders).then(
      ({ code, value }) => response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(400).end(JSON.stringify({ error: String(error) })),
    );
  });
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
  return server;
}

async function answer(
  request: IncomingMessage,
  orders: Orders,
): Promise<{ readonly code: number; readonly value: unknown }> {
  const name = (request.url ?? '').slice(1);
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined;
  if (request.method !== 'POST' || order === undefined)
    return { code: 404, value: { error: `POST to one of: ${Object.keys(orders).join(', ')}` } };
  const body: unknown = Number(request.headers['content-length'] ?? 0) === 0 ? {} : await json(request);
  return { code: 200, value: (await order(isRecord(body) ? body : {})) ?? {} };
}
