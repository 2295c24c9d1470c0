/** What listens outside of a sandbox, at every address of this host, and what has reached it. */
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface Outside extends AsyncDisposable {
  /** Port of the TCP and UDP sockets. */
  readonly port: number;
  /** Name of the abstract unix socket. */
  readonly socket: string;
  /** Each connection and each datagram, by the kind of what it reached. */
  readonly heard: readonly string[];
}

/** A name server of the test, which gives no answer. */
export interface Resolver extends AsyncDisposable {
  readonly queries: () => number;
}

/** Addresses of all interfaces of this host, without their zones. */
export function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each = []) => each);
  return all.map(({ address }) => address.replace(/%.*/, ''));
}

export async function openOutside(): Promise<Outside> {
  const heard: string[] = [];
  const socket = `caisson-outside-${process.pid}`;
  const tcp = await listening({ port: 0, host: '::' }, () => heard.push('tcp'));
  const unix = await listening({ path: `\0${socket}` }, () => heard.push('unix'));
  const at = tcp.address();
  const port = typeof at === 'object' && at !== null ? at.port : 0;
  const udp = await bound(createSocket('udp6'), port, '::');
  udp.on('message', (_, from) => {
    heard.push('udp');
    udp.send('from outside', from.port, from.address);
  });
  const close = async (): Promise<void> => await closed(tcp, unix, udp);
  return { port, socket, heard, [Symbol.asyncDispose]: close };
}

/** `null`: something has the port of name servers at that address already. */
export async function openResolver(address: string): Promise<Resolver | null> {
  let count = 0;
  try {
    const udp = await bound(createSocket('udp4'), 53, address);
    udp.on('message', () => (count += 1));
    const tcp = await listening({ port: 53, host: address }, () => (count += 1));
    return { queries: () => count, [Symbol.asyncDispose]: async () => await closed(tcp, udp) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return null;
    throw error;
  }
}

async function listening(where: { port: number; host: string } | { path: string }, on: () => void): Promise<Server> {
  const server = createServer((socket) => {
    on();
    socket.on('error', () => undefined).end('from outside');
  });
  server.listen(where);
  await once(server, 'listening');
  return server;
}

async function bound(socket: Datagrams, port: number, address: string): Promise<Datagrams> {
  socket.bind(port, address);
  await once(socket, 'listening');
  return socket;
}

async function closed(...all: readonly (Server | Datagrams)[]): Promise<void> {
  await Promise.all(all.map((each) => new Promise<void>((resolve) => void each.close(() => resolve()))));
}
