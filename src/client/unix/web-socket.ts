/** A WebSocket over a connection (RFC 6455). */
import { isUtf8 } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { CaissonError, type Code } from '../../errors.ts';
import type { WireSocket } from '../transport.ts';
import { type Connection, destroyOnAbort } from './connection.ts';
import { type Frame, frameOf, maxMessageBytes, opcodes, readFrame } from './frames.ts';
import { readHead } from './head.ts';
import { protocolError, connectionCutError } from './incoming.ts';
import { drained, startOf } from './send.ts';

interface SocketRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const normalClosure = Buffer.from([0x03, 0xe8]);
/** The service sends whole messages. Each part takes memory, also one without a byte. */
const maxParts = 1024;
/** For the other side to close too. */
const closingMs = 1000;

export async function openWebSocket(
  connection: Connection,
  { path, headers, signal }: SocketRequest,
): Promise<WireSocket> {
  const { socket } = connection;
  const release = destroyOnAbort(socket, signal);
  socket.once('close', release);
  try {
    await handshake(connection, path, headers);
  } catch (error) {
    socket.destroy();
    throw error instanceof CaissonError ? error : connectionCutError(error);
  }
  return wireSocket(connection);
}

async function handshake(
  { socket, incoming }: Connection,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const key = randomBytes(16).toString('base64');
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
  const version = { 'sec-websocket-version': '13', 'sec-websocket-key': key };
  socket.write(startOf(`GET ${path}`, path, { ...headers, ...upgrade, ...version }));
  const head = await readHead(incoming);
  if (head.status !== 101) throw upgradeError(head.status);
  // No secret: it shows that the other side has understood the request (4.1).
  const expected = createHash('sha1').update(`${key}${guid}`).digest('base64');
  if (head.headers['sec-websocket-accept'] !== expected) throw protocolError('it does not open a WebSocket');
}

const codesByStatus: Readonly<Record<number, Code>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  429: 'resource_exhausted',
};

function upgradeError(status: number): CaissonError {
  return new CaissonError(codesByStatus[status] ?? 'unavailable', `the service refuses the connection with ${status}`);
}

function wireSocket(connection: Connection): WireSocket {
  const { socket } = connection;
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    if (!socket.destroyed) socket.end(frameOf(opcodes.close, normalClosure));
    setTimeout(() => socket.destroy(), closingMs).unref();
  };
  return {
    messages: messagesOf(connection, { close, isClosed: () => isClosed }),
    send: async (message) => {
      if (isClosed || socket.destroyed) throw connectionCutError();
      const isText = typeof message === 'string';
      const bytes = isText ? Buffer.from(message) : message;
      socket.write(frameOf(isText ? opcodes.text : opcodes.binary, bytes));
      await drained(socket);
    },
    close,
  };
}

interface Closing {
  readonly close: () => void;
  readonly isClosed: () => boolean;
}

async function* messagesOf(
  connection: Connection,
  { close, isClosed }: Closing,
): AsyncGenerator<string | Uint8Array, void, void> {
  try {
    for (let message = await nextMessage(connection); message !== null; message = await nextMessage(connection))
      yield message;
  } catch (error) {
    // After an end of our own, the other side may just go.
    if (!isClosed()) throw error instanceof CaissonError ? error : connectionCutError(error);
  } finally {
    close();
  }
}

/** `null`: the other side closes. Control frames may stand between the parts of a message (5.4). */
async function nextMessage(connection: Connection): Promise<string | Uint8Array | null> {
  const parts: Buffer[] = [];
  let kind: number | null = null;
  let bytes = 0;
  for (;;) {
    const frame = await readFrame(connection.incoming);
    if (frame.opcode >= opcodes.close) {
      if (!control(connection, frame)) return null;
      continue;
    }
    if ((frame.opcode === opcodes.continuation) === (kind === null))
      throw protocolError('parts of a message are mixed up');
    kind ??= frame.opcode;
    if (kind !== opcodes.text && kind !== opcodes.binary) throw protocolError('a frame has an unknown kind');
    bytes += frame.payload.length;
    if (bytes > maxMessageBytes) throw protocolError('a message is too long');
    if (parts.length === maxParts) throw protocolError('a message has too many parts');
    parts.push(frame.payload);
    if (frame.isFinal) return decoded(kind, Buffer.concat(parts));
  }
}

/** False: it was the last one. */
function control({ socket }: Connection, { opcode, payload }: Frame): boolean {
  if (opcode === opcodes.ping) socket.write(frameOf(opcodes.pong, payload));
  else if (opcode !== opcodes.pong && opcode !== opcodes.close) throw protocolError('a frame has an unknown kind');
  return opcode !== opcodes.close;
}

function decoded(kind: number, payload: Buffer): string | Uint8Array {
  if (kind === opcodes.binary) return payload;
  if (!isUtf8(payload)) throw protocolError('a text is not UTF-8');
  return payload.toString();
}
