/** One port for the account, the toolboxes and their sockets. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults } from './faults.ts';
import { ApiError } from './refuse.ts';
import { type Call, checkCaller, jsonBody, type Route, send, sendError } from './wire.ts';

export interface ServerOptions {
  readonly routes: readonly Route[];
  readonly faults: Faults;
  readonly key: string;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export class Front {
  readonly #server: Server;
  readonly #options: ServerOptions;
  readonly #sockets = new Set<Duplex>();
  #port = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on(
      'upgrade',
      (request: IncomingMessage, socket: Duplex, head: Buffer) => void this.#upgrade(request, socket, head),
    );
    this.#server.on('connection', (socket: Duplex) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const address = this.#server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  /** Every connection breaks; sandboxes live on. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { faults } = this.#options;
    try {
      if (faults.latencyMs > 0) await sleep(faults.latencyMs);
      this.#check(request);
      const url = this.#urlOf(request);
      const happens = faults.take(`${request.method ?? ''} ${url.pathname}`);
      if (happens === 'drop-before') return void request.socket.destroy();
      const { route, args } = this.#find(request.method ?? '', url.pathname);
      const body = route.streams === true ? undefined : await jsonBody(request);
      const call: Call = { request, response, args, query: url.searchParams, body };
      if (happens === 'duplicate') await this.#twice(route, call);
      const answer = await route.handle(call);
      if (happens === 'drop-after') request.socket.destroy();
      else if (!response.writableEnded) send(response, 200, answer);
    } catch (error) {
      sendError(request, response, error);
    }
  }

  /** Handles a request twice, which a proxy between may send twice; only one answer arrives. */
  async #twice(route: Route, call: Call): Promise<void> {
    try {
      await route.handle(call);
    } catch {
      // Its answer is the one that is lost.
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { faults, upgrade } = this.#options;
    socket.on('error', () => undefined); // The other side has gone.
    try {
      if (faults.latencyMs > 0) await sleep(faults.latencyMs);
      this.#check(request);
      if (faults.take(`GET ${this.#urlOf(request).pathname}`) !== null) return void socket.destroy();
      upgrade(request, socket, head);
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 500;
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    }
  }

  /** A path such as `//` is no URL, whatever stands before it. */
  #urlOf({ url = '/' }: IncomingMessage): URL {
    const parsed = URL.parse(url, this.origin);
    if (parsed === null) throw new ApiError(400, 'the path of the request is no URL');
    return parsed;
  }

  #check(request: IncomingMessage): void {
    const { faults, key } = this.#options;
    checkCaller(request, this.#port, faults.tokenExpired ? null : key);
  }

  #find(method: string, path: string): { readonly route: Route; readonly args: readonly string[] } {
    for (const route of this.#options.routes) {
      const found = route.method === method ? route.path.exec(path) : null;
      if (found !== null) return { route, args: found.slice(1).map(decoded) };
    }
    throw new ApiError(404, `this emulator has no ${method} ${path.slice(0, 200)}`);
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ApiError(400, 'the path of the request has a % without two hexadecimal digits of UTF-8');
  }
}
