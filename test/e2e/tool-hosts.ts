/**
 * Hosts of the internet at one private address of this machine, for http and https. Their names lead there for what runs in a mount
 * namespace with a file of hosts of its own; this machine's own file stays as it is.
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
  /** As /etc/hosts has it. */
  readonly table: string;
  /** `http://HOST/PATH` of each request, in order. */
  readonly asked: readonly string[];
}

export async function serveHosts(address: string, sites: Readonly<Record<string, Site>>): Promise<Hosts> {
  const names = Object.keys(sites);
  const { ca, ...secret } = certificateFor(...names);
  const asked: string[] = [];
  const listener =
    (scheme: string): RequestListener =>
    ({ url = '', headers: { host = '' } }, response) => {
      const { href, pathname } = new URL(url, `${scheme}://${host}`);
      asked.push(href);
      const body = sites[host]?.[pathname];
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': typeOf(body) }).end(body);
    };
  execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
  const servers = [
    await listening(createServer(listener('http')), address, 80),
    await listening(createTlsServer(secret, listener('https')), address, 443),
  ];
  return {
    ...{ ca, asked },
    table: `127.0.0.1 localhost\n${names.map((name) => `${address} ${name}\n`).join('')}`,
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      execFileSync('ip', ['address', 'del', `${address}/32`, 'dev', 'lo']);
    },
  };
}

/** Texts are pages of an index, and pip reads no other type. */
function typeOf(body: Buffer | string | undefined): string {
  if (typeof body !== 'string') return 'application/octet-stream';
  return body.startsWith('{') ? 'application/json' : body.startsWith('<') ? 'text/html' : 'text/plain';
}

async function listening<T extends Server>(server: T, address: string, port: number): Promise<T> {
  server.listen(port, address);
  await once(server, 'listening');
  return server;
}
