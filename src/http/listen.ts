/** The address on which the service listens, and what that means for who can reach it. */
import { readFileSync } from 'node:fs';
import { chmod, rm, stat } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createConnection, isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { CaissonError } from '../errors.ts';
import type { CaissonApi } from '../service/api.ts';
import { notListening } from './not-listening.ts';

export type Settings = CaissonApi['config']['server'];

export interface ListenTarget {
  /** `null`: on a unix socket. */
  readonly host: string | null;
  readonly port: number;
  readonly socket: string | null;
  readonly secure: boolean;
  /** What people should know about it. */
  readonly notices: readonly string[];
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Throws `failed_precondition` for an address that other hosts can reach, unless that is said. */
export function placeOf(settings: Settings, { isPublic }: { readonly isPublic: boolean }): ListenTarget {
  const { host, port, socket, tls_cert: cert, tls_key: key, proxies } = settings;
  if ((cert === null) !== (key === null))
    throw new CaissonError('invalid_argument', 'a certificate needs its key', {
      remedy: 'set both server.tls_cert and server.tls_key',
    });
  const secure = cert !== null;
  if (socket !== null) return { host: null, port: 0, socket, secure: false, notices: [] };
  if (isLoopback(host)) return { host, port, socket: null, secure, notices: [] };
  if (!isPublic)
    throw new CaissonError('failed_precondition', `${host} can be reached from other hosts`, {
      remedy: 'listen on 127.0.0.1, or say --public: everybody who has a token can then run commands from there',
    });
  if (!secure && proxies.length === 0)
    throw new CaissonError('failed_precondition', `tokens would go to ${host} in clear text`, {
      remedy: 'set server.tls_cert and server.tls_key, or name the proxy that speaks TLS in server.proxies',
    });
  const how = secure ? 'with TLS' : `behind ${proxies.join(', ')}, which must speak TLS and be the only way in`;
  const notices = [
    `other hosts can reach this service (${host}, ${how}): a token is all that they need to run commands`,
  ];
  return { host, port, socket: null, secure, notices };
}

/** Makes a server with TLS from a certificate and its key; `null`: none are configured. */
export function serverFor({ tls_cert: cert, tls_key: key }: Settings): ((handler: RequestListener) => Server) | null {
  if (cert === null || key === null) return null;
  const files = { cert: readPem(cert), key: readPem(key) };
  return (handler) => createTlsServer({ ...files, minVersion: 'TLSv1.2' }, handler);
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new CaissonError('failed_precondition', `${path} cannot be read`, { cause });
  }
}

/** Answers the URL by which it is reached. Throws `conflict` where another process listens, `failed_precondition` where none can. */
export async function listen(app: FastifyInstance, place: ListenTarget): Promise<string> {
  try {
    return await listenAt(app, place);
  } catch (error) {
    throw notListening(error, place);
  }
}

async function listenAt(app: FastifyInstance, { host, port, socket }: ListenTarget): Promise<string> {
  if (socket === null) return await app.listen({ host: host ?? '127.0.0.1', port });
  await clearSocket(socket);
  const before = process.umask(0o177);
  try {
    await app.listen({ path: socket });
  } finally {
    process.umask(before);
  }
  await chmod(socket, 0o600);
  return `unix:${socket}`;
}

/** What a service that was killed left. One that still answers is not taken away from it. */
async function clearSocket(path: string): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there === null) return;
  if (!there.isSocket()) throw new CaissonError('failed_precondition', `${path} is there, and is no socket`);
  if (await answers(path)) throw new CaissonError('conflict', `another service listens on ${path}`);
  await rm(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(path);
    connection.once('connect', () => resolve(true)).once('error', () => resolve(false));
    connection.once('connect', () => connection.destroy());
  });
}
