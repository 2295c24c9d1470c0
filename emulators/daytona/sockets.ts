/** WebSockets of the toolbox: terminals, and logs of commands of sessions. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { Faults } from './faults.ts';
import type { Record } from './record.ts';
import { ApiError, read, readQuery } from './refuse.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { SessionCommand, ShellSession } from './shell-session.ts';
import { slowed } from './slowed.ts';
import type { Terminal } from './terminal.ts';
import { running } from './toolbox-routes.ts';

const exitControl = 'X-Daytona-Pty-Exit-Control';
const environmentPrefix = 'X-Daytona-Pty-Envs~';
const maxLogFrame = 32 * 1024;

const size = z.coerce.number().int().min(1).max(1000);
const creation = z.strictObject({
  id: z.string().regex(/^[\w.-]{1,100}$/),
  rows: size.optional(),
  cols: size.optional(),
  cwd: z.string().min(1).max(4096).optional(),
});
const environment = z.record(z.string(), z.string());

export class Sockets {
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: 4 * 2 ** 20,
    // One of those that are offered: a client without an answer to its offer hangs up.
    handleProtocols: (offered) => (offered.has(exitControl) ? exitControl : ([...offered][0] ?? false)),
  });
  readonly #sandboxes: Sandboxes;
  readonly #faults: Faults;

  constructor(sandboxes: Sandboxes, faults: Faults) {
    this.#sandboxes = sandboxes;
    this.#faults = faults;
  }

  /** Throws what the upgrade is refused with. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, toolbox, id = '', ...path] = url.pathname.split('/').map(decodeURIComponent);
    if (toolbox !== 'toolbox') throw new ApiError(404, 'no such socket');
    const record = this.#sandboxes.find(id);
    const attach = this.#attachment(record, path, { request, query: url.searchParams });
    this.#server.handleUpgrade(request, socket, head, (plain) => {
      const open = slowed(plain, this.#faults);
      open.on('message', () => this.#sandboxes.touch(record));
      attach(open);
    });
  }

  #attachment(
    record: Record,
    [process, kind, id = '', ...rest]: readonly string[],
    { request, query }: { readonly request: IncomingMessage; readonly query: URLSearchParams },
  ): (socket: WebSocket) => void {
    const toolbox = running(record);
    this.#sandboxes.touch(record);
    const [first, command = '', logs] = rest;
    if (process === 'process' && kind === 'pty' && id === 'create-connect') {
      const { rows = 24, cols = 80, ...asked } = readQuery(creation, query);
      const made: Terminal = toolbox.openTerminal({ ...asked, rows, cols, env: environmentOf(request) });
      return (socket) => made.attach(socket);
    }
    if (process === 'process' && kind === 'pty' && first === 'connect') {
      const terminal = toolbox.terminal(id);
      return (socket) => terminal.attach(socket);
    }
    if (process === 'process' && kind === 'session' && first === 'command' && logs === 'logs') {
      const session = toolbox.session(id);
      const followed = session.command(command);
      return (socket) => follow(socket, session, followed);
    }
    throw new ApiError(404, 'no such socket');
  }
}

function environmentOf({ headers }: IncomingMessage): Readonly<globalThis.Record<string, string>> {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
  const found = offered.find((each) => each.startsWith(environmentPrefix));
  if (found === undefined) return {};
  try {
    return read(
      environment,
      JSON.parse(Buffer.from(found.slice(environmentPrefix.length), 'base64url').toString('utf8')),
    );
  } catch {
    throw new ApiError(400, 'the environment of the terminal cannot be read');
  }
}

function follow(socket: WebSocket, session: ShellSession, command: SessionCommand): void {
  const push = (piece: Buffer): void => {
    for (let at = 0; at < piece.length; at += maxLogFrame) socket.send(piece.subarray(at, at + maxLogFrame));
  };
  const onLog = (of: SessionCommand, piece: Buffer): void => void (of === command && push(piece));
  const onOver = (of: SessionCommand): void => void (of === command && socket.close(1000));
  for (const piece of command.log) push(piece);
  if (command.over) return socket.close(1000);
  session.on('log', onLog).on('over', onOver);
  socket.once('close', () => session.off('log', onLog).off('over', onOver));
}
