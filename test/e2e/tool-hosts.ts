/**
 * Hosts of the internet at one private address of this machine, for http and https. Their names lead there for what runs in a mount
 * namespace with a file of hosts of its own; this machine's own file stays as it is. What is put there comes back as the answer.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { certificateFor } from '../network/dial/certificate.ts';
import type { Site } from './tool-packages.ts';

export interface Hosts extends AsyncDisposable {
  /** PEM. */
  readonly ca: string;
  /** Text for /etc/hosts. */
  readonly table: string;
  /** `http://HOST/PATH` of each request, in order. */
  readonly asked: readonly string[];
}

export async function serveHosts(address: string, sites: Readonly<Record<string, Site>>): Promise<Hosts> {
  const names = Object.keys(sites);
  const { ca, ...secret } = certificateFor(...names);
  const asked: string[] = [];
  const listener = (scheme: string) => answering(sites, scheme, asked);
  await using held = new AsyncDisposableStack();
  const ip = (...args: readonly string[]) => execFileSync('ip', ['address', ...args, `${address}/32`, 'dev', 'lo']);
  // Also where a run that was killed has left it.
  ip('replace');
  held.defer(() => void ip('del'));
  const serve = async (server: Server, port: number): Promise<void> => {
    server.listen(port, address);
    await once(server, 'listening');
    held.defer(() => ended(server));
  };
  await serve(createServer(listener('http')), 80);
  await serve(createTlsServer(secret, listener('https')), 443);
  const kept = held.move();
  return {
    ca,
    asked,
    table: `127.0.0.1 localhost\n${names.map((name) => `${address} ${name}\n`).join('')}`,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function answering(sites: Readonly<Record<string, Site>>, scheme: string, asked: string[]): RequestListener {
  return (request, response) => {
    const { host = '' } = request.headers;
    const { href, pathname } = new URL(request.url ?? '', `${scheme}://${host}`);
    asked.push(href);
    if (request.method === 'PUT') return void request.pipe(response);
    const body = sites[host]?.[pathname];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': typeOf(body) }).end(body);
  };
}

async function ended(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Texts are pages of an index, and pip reads no other type. */
function typeOf(body: Buffer | string | undefined): string {
  if (typeof body !== 'string') return 'application/octet-stream';
  return body.startsWith('{') ? 'application/json' : body.startsWith('<') ? 'text/html' : 'text/plain';
}
