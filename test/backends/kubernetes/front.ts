/**
 * Serves exec of one pod as an API server does, by the protocol that is asked of it, and runs the commands on this host for real. The
 * status follows when the last stream has ended, as on a node.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { Access } from '../../../backends/kubernetes/access.ts';
import { Api } from '../../../backends/kubernetes/api.ts';
import { channel, frame, type Protocol } from '../../../backends/kubernetes/channels.ts';
import type { Login } from '../../../backends/kubernetes/kubeconfig.ts';

export interface Front {
  readonly api: Api;
  /** A file that leads here, with a token. */
  readonly kubeconfig: string;
  /** Addresses of the requests so far. */
  readonly urls: readonly string[];
  /** Tokens of the requests so far. */
  readonly tokens: readonly (string | undefined)[];
  /** Statuses with which the next requests are refused, one each. */
  readonly refusals: number[];
  /** Programs to which the next clients are attached, one each, as first processes of the pod. */
  readonly first: string[][];
  /** Commands that ended before all of their input was read, as far as the front passed it on: a cluster resets their connections. */
  unread: number;
  /** Answers what is no WebSocket. */
  answer: (url: URL, response: ServerResponse) => void;
  /** Ends every connection in the middle, as a load balancer does. */
  cut(): void;
  close(): Promise<void>;
}

interface Serving {
  readonly server: Server;
  readonly sockets: WebSocketServer;
  readonly urls: string[];
  readonly tokens: (string | undefined)[];
  readonly refusals: number[];
  readonly first: string[][];
  readonly onUnread: () => void;
}

export async function startFront(
  protocol: Protocol | 'none',
  login: Login = { by: 'token', token: 't' },
): Promise<Front> {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-front-'));
  makeCertificate(directory);
  const [cert, key] = ['crt', 'key'].map((name) => readFileSync(join(directory, `tls.${name}`)));
  const server = createServer({ cert, key });
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => protocol !== 'none' && offered.has(protocol) && protocol,
  });
  const serving: Serving = {
    server,
    sockets,
    urls: [],
    tokens: [],
    refusals: [],
    first: [],
    onUnread: () => (made.unread += 1),
  };
  server.on('upgrade', (request, socket, head) => upgrade(serving, request, { socket, head }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const place = {
    context: 'front',
    server: `https://127.0.0.1:${port}`,
    authority: null,
    serverName: null,
    namespace: 'default',
    login,
  };
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf(port, directory));
  const made: Front = {
    kubeconfig,
    api: new Api(new Access(place, cert ?? null, process.env)),
    urls: serving.urls,
    tokens: serving.tokens,
    refusals: serving.refusals,
    first: serving.first,
    unread: 0,
    answer: (_, response) => response.writeHead(404).end(),
    cut: () => sockets.clients.forEach((each) => each.terminate()),
    close: async () => {
      sockets.clients.forEach((each) => each.terminate());
      server.close();
      server.closeAllConnections();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  server.on('request', (request, response) => made.answer(new URL(request.url ?? '', 'https://front'), response));
  return made;
}

function kubeconfigOf(port: number, directory: string): string {
  return JSON.stringify({
    'current-context': 'c',
    clusters: [
      {
        name: 'c',
        cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': join(directory, 'tls.crt') },
      },
    ],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  });
}

function makeCertificate(directory: string): void {
  const files = ['-keyout', join(directory, 'tls.key'), '-out', join(directory, 'tls.crt')];
  const names = ['-subj', '/CN=front', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2', '-nodes'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, ...files], { stdio: 'ignore' });
}

function upgrade(
  { sockets, urls, tokens, refusals, first, onUnread }: Serving,
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): void {
  urls.push(request.url ?? '');
  tokens.push(request.headers.authorization);
  const status = refusals.shift();
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://front');
  const command = (): readonly string[] =>
    pathname.endsWith('/attach') ? (first.shift() ?? ['true']) : searchParams.getAll('command');
  if (status === undefined) sockets.handleUpgrade(request, socket, head, (each) => run(each, command(), onUnread));
  else socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}

function run(socket: WebSocket, [program = '', ...args]: readonly string[], onUnread: () => void): void {
  const child = spawn(program, args, { stdio: 'pipe', detached: true });
  child.stdin.on('error', onUnread);
  pass(child.stdout, socket, channel.stdout);
  pass(child.stderr, socket, channel.stderr);
  socket.on('message', (message) => {
    if (!Buffer.isBuffer(message)) return;
    if (message[0] === channel.stdin) child.stdin.write(message.subarray(1));
    else if (message[0] === channel.close && message[1] === channel.stdin) child.stdin.end();
  });
  socket.on('close', () => child.stdin.end());
  child.on('close', (code) => {
    socket.send(frame(channel.status, Buffer.from(JSON.stringify(statusOf(code ?? 137)))));
    socket.close(1000);
  });
}

function pass(stream: Readable, socket: WebSocket, number: number): void {
  stream.on('data', (chunk: Buffer) => socket.send(frame(number, chunk)));
}

function statusOf(code: number): unknown {
  if (code === 0) return { status: 'Success' };
  const causes = [{ reason: 'ExitCode', message: String(code) }];
  return { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } };
}
