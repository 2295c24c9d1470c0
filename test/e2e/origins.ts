/** Servers on private addresses that this host has for the time of a test file, and what a sandbox does to reach them. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** `network`: the first three numbers of its addresses. No host is to be in it, and no other test file has it. */
export class Origins implements AsyncDisposable {
  readonly #network: string;
  readonly #server: Server;
  readonly #dials = new Map<string, number>();

  private constructor(network: string) {
    this.#network = network;
    this.#server = createServer((request, response) => void response.end(`from ${request.socket.localAddress}\n`));
    this.#server.on('connection', ({ localAddress = '' }) => {
      this.#dials.set(localAddress, this.dials(localAddress) + 1);
    });
  }

  static async open(network: string): Promise<Origins> {
    const origins = new Origins(network);
    // All addresses of a network of the loopback are those of this host.
    execFileSync('ip', ['address', 'add', `${network}.1/24`, 'dev', 'lo']);
    origins.#server.listen(0, '0.0.0.0');
    await once(origins.#server, 'listening');
    return origins;
  }

  address(number: number): string {
    return `${this.#network}.${number}`;
  }

  /** Address and port of an origin, in the form of rules. */
  place(number: number): string {
    const at = this.#server.address();
    return `${this.address(number)}:${typeof at === 'object' && at !== null ? at.port : 0}`;
  }

  /** Connections that were opened to it, whether or not a request came. */
  dials(address: string): number {
    return this.#dials.get(address) ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    execFileSync('ip', ['address', 'del', `${this.#network}.1/24`, 'dev', 'lo']);
  }
}

/** Shell text that asks as a client of the proxy does it: the image has none that is whole. It waits so long for the answer. */
export const askFor = (place: string, { path = '/', seconds = 1 } = {}): string =>
  `(printf 'GET http://${place}${path} HTTP/1.1\\r\\nHost: ${place}\\r\\nConnection: close\\r\\n\\r\\n'; sleep ${seconds}) | nc 127.0.0.1 3128`;
