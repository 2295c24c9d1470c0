/** The transport of the client over a unix socket, for Node. Small, since the command line loads it with every call. */
import type { Transport } from '../transport.ts';
import { connect, type Connection } from './connection.ts';
import { exchange } from './exchange.ts';

const maxIdle = 8;
/** Far below the time after which the service closes a connection that is idle. */
const idleSeconds = 5;

export function unixTransport(path: string): Transport {
  const idle = new Map<Connection, number>();
  const open = new Set<Connection>();
  const opened = async (signal?: AbortSignal): Promise<Connection> => {
    const connection = await connect(path, signal);
    open.add(connection);
    connection.socket.once('close', () => open.delete(connection));
    return connection;
  };
  return {
    request: async (wanted) => {
      const connection = takeIdle(idle) ?? (await opened(wanted.signal));
      connection.socket.ref();
      return await exchange(connection, wanted, () => putBack(idle, connection));
    },
    // Loaded where a socket is wanted: most commands have none.
    open: async (at, headers, signal) => {
      const { openWebSocket } = await import('./web-socket.ts');
      return await openWebSocket(await opened(signal), { path: at, headers, signal });
    },
    close: () => {
      for (const { socket } of open) socket.destroy();
      return Promise.resolve();
    },
  };
}

function takeIdle(idle: Map<Connection, number>): Connection | null {
  for (const [connection, since] of idle) {
    idle.delete(connection);
    const isFresh = connection.incoming.isIdle && !connection.socket.destroyed;
    if (isFresh && process.uptime() - since < idleSeconds) return connection;
    connection.socket.destroy();
  }
  return null;
}

function putBack(idle: Map<Connection, number>, connection: Connection): void {
  if (idle.size >= maxIdle || !connection.incoming.isIdle) return void connection.socket.destroy();
  // It does not keep the process alive.
  connection.socket.unref();
  idle.set(connection, process.uptime());
}
