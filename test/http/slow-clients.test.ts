import fastify from 'fastify';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { limitBodies, limitConnections } from '../../src/http/slow-clients.ts';

async function opened(maxMs: number): Promise<number> {
  const app = fastify();
  limitBodies(app, maxMs);
  app.post('/', async ({ body }) => await Promise.resolve({ got: body }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => await app.close());
  const { port } = app.server.address() as AddressInfo;
  return port;
}

function head(port: number, length: number): Socket {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const type = 'Content-Type: application/json';
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`);
  return socket;
}

it('a body that comes byte by byte ends with its connection, and needs no token for that', async () => {
  const socket = head(await opened(300), 4000);
  const drip = setInterval(() => socket.write('1'), 20);
  onTestFinished(() => clearInterval(drip));
  socket.on('error', () => undefined);
  // What is written to a closed end breaks the connection, which `once` of Node would take for its failure.
  await new Promise((resolve) => socket.once('close', resolve));
  expect(socket.bytesRead).toBe(0);
});

it('a body that comes in time is answered, also when the time is over', async () => {
  const socket = head(await opened(100), 2);
  socket.write('12');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('{"got":12}');
});

it('connections take no more than half of the descriptors', () => {
  const server = createServer();
  limitConnections(server);
  expect(server.maxConnections).toBeGreaterThan(100);
  expect(server.maxConnections).toBeLessThan(2 ** 30);
});
