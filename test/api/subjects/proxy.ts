/** A proxy on loopback that breaks every connection when it is asked to; those that come later hold until the next time. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  readonly url: string;
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

export async function proxyTo(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const service = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const destroy = (): void => void [client, service].map((socket) => socket.destroy());
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', destroy).on('close', () => sockets.delete(socket));
    }
    client.pipe(service).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = (): void => {
    // A reset, as of a network that is gone: an end would look like that of an answer.
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
