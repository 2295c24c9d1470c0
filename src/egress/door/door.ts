/**
 * What one sandbox talks to: a listener that is its alone, so that who asks is known without a word about it. CONNECT and
 * plain HTTP; all else is answered with 400.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as net from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressRules } from '../../network/address/types.ts';
import type { AdmitInput } from './admit.ts';
import type { JudgeRules } from './decide.ts';
import type { Lookup } from '../../network/dial/vet.ts';
import type { DoorLimits } from './limits.ts';
import { fewAtOnce } from './lookups.ts';
import { answer, answerRaw } from './answers.ts';
import { servePlain } from './plain.ts';
import { readConnect, readPlain } from './request.ts';
import type { Ruleset } from './ruleset.ts';
import { serveTunnel } from './tunnel.ts';
import type { ConnectionRecord, Target } from './types.ts';
import { Visit } from './visit.ts';

export interface DoorInput extends Pick<AdmitInput, 'lookup' | 'reach'> {
  readonly task: string;
  readonly egress: Ruleset;
  /** Reads the address rules that hold now. */
  readonly addresses: () => Promise<AddressRules>;
  readonly limits: DoorLimits;
  readonly record: (record: ConnectionRecord) => void;
}

/** How often Node looks for heads that take too long. */
const checkEveryMs = 1000;
const plainPort = 80;

export class Door {
  readonly #parts: DoorInput;
  readonly #server: Server;
  readonly #visits = new Set<Visit>();
  /** Connections within which plain HTTP to one target is spoken. */
  readonly #inside = new WeakMap<Duplex, Target>();
  readonly #sockets = new Set<net.Socket>();
  /** Beside the own one. */
  #adopted: net.Server | null = null;
  #egress: Ruleset;
  readonly #lookup: Lookup;

  constructor(parts: DoorInput) {
    this.#parts = parts;
    this.#egress = parts.egress;
    this.#lookup = fewAtOnce(parts.lookup, parts.limits);
    const { maxConnections, maxHeadBytes, headTimeoutMs } = parts.limits;
    this.#server = createServer({
      maxHeaderSize: maxHeadBytes,
      headersTimeout: headTimeoutMs,
      // An upload may take as long as it goes on: `idleTimeoutMs` bounds it.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(checkEveryMs, headTimeoutMs),
      keepAliveTimeout: headTimeoutMs,
      // It is looked at where it matters: some clients send CONNECT without one.
      requireHostHeader: false,
      insecureHTTPParser: false,
    });
    this.#server.maxConnections = maxConnections;
    // Headers are bounded by their bytes. Those beyond a count would be dropped in silence.
    this.#server.maxHeadersCount = 0;
    this.#server.on('connection', (socket: net.Socket) => this.#hold(socket));
    this.#server.on('request', (request, response) => void this.#plain(request, response));
    this.#server.on('connect', (request, socket, head) => void this.#connect(request, socket, head));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#refuse(error, socket));
  }

  /** `path`: of a socket that is not there yet; a port on 127.0.0.1 for tests and benches. */
  async listen(at: { readonly path: string } | { readonly port: number; readonly host: string }): Promise<void> {
    this.#server.listen(at);
    await once(this.#server, 'listening');
  }

  /** A listener that another process has made: what comes in there comes in here, until the next one is adopted. */
  adopt(listener: net.Server | null): void {
    this.#adopted?.close();
    this.#adopted = listener === null ? null : this.#listenOn(listener);
  }

  #listenOn(listener: net.Server): net.Server {
    const { maxConnections } = this.#parts.limits;
    const own = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#server.emit('connection', socket),
    );
    own.maxConnections = maxConnections;
    own.on('error', () => undefined);
    return own.listen(listener);
  }

  address(): ReturnType<Server['address']> {
    return this.#server.address();
  }

  /** Connections and requests that have not ended. */
  get open(): number {
    return this.#visits.size;
  }

  /** What is forbidden from now on is cut, and so is all where the rules cannot be read. */
  async revise(egress: Ruleset): Promise<void> {
    this.#egress = egress;
    const rules = await this.#rules().catch(() => null);
    for (const visit of this.#visits)
      if (rules === null) visit.abort();
      else visit.judgeAgain(rules);
  }

  /** Idempotent. Cuts what is open. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.adopt(null);
    for (const visit of this.#visits) visit.abort();
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  /** The rules of hosts come last: they may change while files are read. */
  async #rules(): Promise<JudgeRules> {
    const addresses = await this.#parts.addresses();
    return { egress: this.#egress, addresses };
  }

  #hold(socket: net.Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }

  #visit(): Visit {
    const { task, record, reach, limits } = this.#parts;
    return new Visit({
      task,
      record,
      lookup: this.#lookup,
      reach,
      limits,
      rules: () => this.#rules(),
      visits: this.#visits,
    });
  }

  /** A connection may hold many requests, all at once. */
  get #isFull(): boolean {
    return this.#visits.size > this.#parts.limits.maxConnections;
  }

  async #plain(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const visit = this.#visit();
    const { method = '', url = '', httpVersion, rawHeaders } = request;
    const asked = readPlain({ method, url, httpVersion, rawHeaders }, this.#inside.get(request.socket) ?? null);
    if (typeof asked === 'string') {
      visit.refuse('request', asked);
      return answer(response, 400, `caisson: ${asked}`);
    }
    if (this.#isFull) {
      visit.refuse('limits', 'too many connections');
      return answer(response, 503, 'caisson: too many connections');
    }
    await servePlain(asked, { request, response, visit, limits: this.#parts.limits });
  }

  async #connect({ url = '', httpVersion, rawHeaders }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = this.#inside.has(client)
      ? 'a tunnel has no other inside'
      : readConnect({ url, httpVersion, rawHeaders });
    if (typeof target === 'string') {
      this.#visit().refuse('request', target);
      return answerRaw(client, 400, `caisson: ${target}`);
    }
    if (this.#isFull) {
      this.#visit().refuse('limits', 'too many connections');
      return answerRaw(client, 503, 'caisson: too many connections');
    }
    if (head.length > 0) client.unshift(head);
    if (target.port === plainPort) return this.#speakInside(client, target);
    await serveTunnel(target, { client, visit: this.#visit(), limits: this.#parts.limits });
  }

  /** On the port of plain HTTP, requests are read as outside of a tunnel: each is judged, and goes where CONNECT said. */
  #speakInside(client: Duplex, target: Target): void {
    this.#inside.set(client, target);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    this.#server.emit('connection', client);
  }

  #refuse({ code }: NodeJS.ErrnoException, client: Duplex): void {
    if (code === 'ECONNRESET' || !client.writable) return void client.destroy();
    this.#visit().refuse('request', 'the request is malformed');
    const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    answerRaw(client, status, 'caisson: the request is malformed');
  }
}
