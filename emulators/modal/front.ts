/** The port that clients reach: hands bytes on to the service behind it, late, or not at all. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export class Front {
  readonly #inner: string;
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  #port = 0;
  #latencyMs = 0;

  private constructor(inner: string) {
    this.#inner = inner;
    this.#server = createServer({ noDelay: true }, (socket) => this.#join(socket));
  }

  /** `inner`: the unix socket of the service. */
  static async listen(inner: string): Promise<Front> {
    const front = new Front(inner);
    await front.#listen();
    const address = front.#server.address();
    front.#port = typeof address === 'object' && address !== null ? address.port : 0;
    return front;
  }

  get port(): number {
    return this.#port;
  }

  /** Milliseconds of one round trip: half of it in each direction. */
  set latencyMs(ms: number) {
    this.#latencyMs = ms;
  }

  /** Every connection, in the middle of whatever it carries. */
  drop(): void {
    for (const socket of this.#clients) socket.resetAndDestroy();
  }

  /** The service is away for some time; what it holds stays. */
  async restart(downMs: number): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.drop();
    await closed;
    await sleep(downMs);
    await this.#listen();
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#clients) socket.destroy();
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  #join(client: Socket): void {
    const service = connect(this.#inner);
    const ends = [client, service];
    this.#clients.add(client);
    client.once('close', () => this.#clients.delete(client));
    for (const end of ends) {
      end.on('error', () => undefined);
      end.once('close', () => ends.forEach((other) => other.destroy()));
    }
    client.pipe(this.#late()).pipe(service);
    service.pipe(this.#late()).pipe(client);
  }

  /** Keeps the order also when the latency changes meanwhile. */
  #late(): Transform {
    const held: Buffer[] = [];
    const late = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (this.#latencyMs === 0 && held.length === 0) return done(null, chunk);
        held.push(chunk);
        setTimeout(() => late.destroyed || late.push(held.shift()), this.#latencyMs / 2);
        done();
      },
    });
    late.on('error', () => undefined);
    return late;
  }
}
