/** Servers on a unix socket, each with the transport that reaches it; all end with the test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createNet, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { unixTransport } from '../../../src/client/unix/transport.ts';

const ended: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

export async function listening(server: Server): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'caisson-unix-'));
  const path = join(directory, 's');
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  ended.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true });
  });
  return path;
}

export async function opened(server: Server): Promise<ReturnType<typeof unixTransport>> {
  const transport = unixTransport(await listening(server));
  ended.push(() => transport.close());
  return transport;
}

export const http = async (answer: RequestListener) => await opened(createHttp(answer));

/** Answers every request with these bytes, and ends the connection where `ends` says so. */
export async function raw(answer: string, { ends = false, at = answer.length } = {}) {
  return await opened(
    createNet((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(answer.slice(0, at), 'latin1');
        setImmediate(() => (ends ? socket.end(answer.slice(at)) : socket.write(answer.slice(at), 'latin1')));
      });
    }),
  );
}
