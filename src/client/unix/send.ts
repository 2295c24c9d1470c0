/** Writes a request of HTTP/1.1. */
import type { Socket } from 'node:net';
import { CaissonError } from '../../errors.ts';
import type { WireRequest } from '../transport.ts';
import { connectionCutError } from './incoming.ts';

type Body = NonNullable<WireRequest['body']>;

/** Legal names and values of headers: behind a line end in a value, the rest would be a header of its own. */
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e]*$/;
const target = /^\/[\x21-\x7e]*$/;

/** Resolves when all of it was handed over, which a stream may take long for. */
export async function send(socket: Socket, { method, path, headers, body }: WireRequest): Promise<void> {
  const start = startOf(`${method} ${path}`, path, { ...headers, ...lengthOf(method, body) });
  if (body === undefined || typeof body === 'string') return void socket.write(`${start}${body ?? ''}`);
  socket.cork();
  socket.write(start);
  if (body instanceof Uint8Array) socket.write(body);
  // What is written here goes in one packet with the start.
  socket.uncork();
  if (!(body instanceof Uint8Array)) await sendChunks(socket, body);
}

/** The start line and the headers. Throws `invalid_argument` for what could end a line. */
export function startOf(line: string, path: string, headers: Readonly<Record<string, string>>): string {
  if (!target.test(path)) throw new CaissonError('invalid_argument', 'the path of the request has invalid characters');
  const fields = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => {
    if (!fieldName.test(name) || !fieldValue.test(value))
      throw new CaissonError('invalid_argument', `the header ${JSON.stringify(name)} has invalid characters`);
    return `${name}: ${value}\r\n`;
  });
  return `${line} HTTP/1.1\r\n${fields.join('')}\r\n`;
}

function lengthOf(method: string, body: Body | undefined): Readonly<Record<string, string>> {
  if (body === undefined) return method === 'GET' || method === 'DELETE' ? {} : { 'content-length': '0' };
  if (typeof body === 'string') return { 'content-length': String(Buffer.byteLength(body)) };
  if (body instanceof Uint8Array) return { 'content-length': String(body.length) };
  return { 'transfer-encoding': 'chunked' };
}

async function sendChunks(socket: Socket, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const part of body) {
    if (part.length === 0) continue;
    socket.cork();
    socket.write(`${part.length.toString(16)}\r\n`);
    socket.write(part);
    const hasRoom = socket.write('\r\n');
    socket.uncork();
    if (!hasRoom) await drained(socket);
    if (socket.destroyed) throw connectionCutError();
  }
  socket.write('0\r\n\r\n');
}

/** Resolves when more may be written, and when nothing can be written any more. */
export function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      socket.off('drain', over);
      socket.off('close', over);
      resolve();
    };
    if (socket.destroyed || !socket.writableNeedDrain) return over();
    socket.on('drain', over);
    socket.on('close', over);
  });
}
