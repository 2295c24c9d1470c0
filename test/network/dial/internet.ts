/** A small internet: a web server and a name server on this machine, and a dialler whose connections all end there. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { Dialler } from '../../../src/network/dial/fetch.ts';
import { addressRules } from '../../../src/network/address/rules.ts';
import { indexWebsites } from '../../../src/network/websites.ts';
import { nameServer, type Zone } from './name-server.ts';

export const publicAddress = '93.184.216.34';

export interface Internet extends AsyncDisposable {
  readonly fetch: Dialler['fetch'];
  /** Destinations of connections that were made, as `ADDRESS:PORT`. */
  readonly dialled: readonly string[];
  /** Names that were looked up. */
  readonly asked: readonly string[];
  readonly requests: readonly Pick<IncomingMessage, 'method' | 'url' | 'headers'>[];
}

export interface InternetOptions {
  /** Every name is public when absent. */
  readonly zone?: Zone;
  readonly allowPrivate?: readonly string[];
  readonly tls?: { readonly key: string; readonly cert: string; readonly ca: string };
  /** These addresses do not answer. */
  readonly dead?: readonly string[];
}

export async function internet(serve: RequestListener, given: InternetOptions = {}): Promise<Internet> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    serve(request, response);
  };
  const server: Server = given.tls === undefined ? createServer(listener) : createTlsServer(given.tls, listener);
  const [port, unused] = [await listening(server), await unusedPort()];
  const names = await nameServer(given.zone ?? (() => [publicAddress]));
  const dialled: string[] = [];
  const websites = indexWebsites([]);
  const dialler = new Dialler({
    rules: () => addressRules({ allowPrivate: given.allowPrivate ?? [], nat64Prefix: null, env: {}, websites }),
    lookup: names.lookup,
    lookupTimeoutMs: 30_000,
    connectTimeoutMs: 5000,
    reach: (address, wanted) => {
      dialled.push(`${address}:${wanted}`);
      return { address: '127.0.0.1', port: given.dead?.includes(address) === true ? unused : port };
    },
    ...(given.tls === undefined ? {} : { ca: given.tls.ca }),
  });
  return {
    fetch: dialler.fetch,
    dialled,
    requests,
    asked: names.asked,
    [Symbol.asyncDispose]: async () => {
      await dialler.close();
      await names[Symbol.asyncDispose]();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server.address());
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('no port');
}
