/**
 * A small internet for the proxy of a service: one private address with origins, and a name server there that answers what a test
 * says.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createRawServer, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { certificateFor } from '../network/dial/certificate.ts';
import { systemNameServer, type Zone } from '../network/dial/name-server.ts';

/** Private addresses that this host has for the time of the test; no host is to be in their network. */
export const address = '10.231.81.1';
export const otherAddress = '10.231.81.2';
/** It would be public if it were not of this host. */
const publicAddress = '11.231.81.1';
/** Port of the origin that answers any bytes. */
export const listedPort = 8443;

const ownAddresses = [address, otherAddress, publicAddress];

export interface EgressWorld extends AsyncDisposable {
  /** Names, one for each lookup. */
  readonly asked: readonly string[];
  /** Requests to the origin, by host and path. */
  readonly requests: readonly string[];
  /** Connections to `otherAddress`, which no rule opens. */
  readonly strayed: () => number;
}

/** `redirects`: where a path of the origin leads. */
export async function openWorld(zone: Zone, redirects: Readonly<Record<string, string>>): Promise<EgressWorld> {
  for (const each of ownAddresses) execFileSync('ip', ['address', 'add', `${each}/32`, 'dev', 'lo']);
  const names = await systemNameServer(zone, address);
  const requests: string[] = [];
  const held = new Set<Socket>();
  let strayed = 0;
  const serve: RequestListener = (request, response) => {
    requests.push(`${request.headers.host}${request.url}`);
    const to = redirects[request.url ?? ''];
    response.writeHead(to === undefined ? 200 : 302, to === undefined ? {} : { location: to }).end('from the origin');
  };
  const servers = await Promise.all([
    listening(createServer(serve), 80),
    listening(createTlsServer(certificateFor('ok.example'), serve), 443),
    listening(
      createRawServer((socket) => socket.on('error', () => undefined).end('from the listed port')),
      listedPort,
    ),
    listening(
      createRawServer((socket) => {
        strayed += 1;
        socket.destroy();
      }),
      80,
      otherAddress,
    ),
  ]);
  for (const server of servers) server.on('connection', (socket: Socket) => held.add(socket));
  return {
    asked: names.asked,
    requests,
    strayed: () => strayed,
    [Symbol.asyncDispose]: async () => {
      await names[Symbol.asyncDispose]();
      for (const socket of held) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      for (const each of ownAddresses) execFileSync('ip', ['address', 'del', `${each}/32`, 'dev', 'lo']);
    },
  };
}

async function listening(server: Server, port: number, host = address): Promise<Server> {
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/** The first bytes of a client that asks for a name by TLS; by an empty text, no name. */
export async function helloFor(servername: string): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const server = createRawServer((peer) => void peer.once('data', resolve));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  const socket = connect(typeof at === 'object' && at !== null ? at.port : 0, '127.0.0.1');
  const tls = connectTls({ socket, servername }).on('error', () => undefined);
  const hello = await promise;
  tls.destroy();
  server.close();
  return hello;
}
