/** What a socket brings, read on demand: the socket is paused while its reader is behind. */
import type { Socket } from 'node:net';
import { CaissonError } from '../../errors.ts';

/** Beyond this the kernel holds what comes, and then the sender waits. */
const maxHeldBytes = 256 * 1024;
const lineFeed = 0x0a;

export class Incoming {
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];
  #heldBytes = 0;
  /** `error` is `null` where the other side has ended in order. */
  #over: { readonly error: Error | null } | null = null;
  #wake: (() => void) | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('end', () => this.#end(null));
    socket.on('error', (error) => this.#end(error));
    socket.once('close', () => this.#end(connectionCutError()));
  }

  /** Nothing has come that was not read, and more may come. */
  get isIdle(): boolean {
    return this.#heldBytes === 0 && this.#over === null;
  }

  /** At least one byte, at most `max`. `null`: the other side has ended. Throws when the connection is cut. */
  async some(max = Number.POSITIVE_INFINITY): Promise<Buffer | null> {
    while (this.#chunks.length === 0 && this.#over === null)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const chunk = this.#chunks.shift();
    if (chunk === undefined) {
      if (this.#over?.error) throw this.#over.error;
      return null;
    }
    const taken = chunk.length > max ? chunk.subarray(0, max) : chunk;
    if (taken.length < chunk.length) this.#chunks.unshift(chunk.subarray(taken.length));
    this.#heldBytes -= taken.length;
    if (this.#heldBytes < maxHeldBytes && this.#socket.isPaused()) this.#socket.resume();
    return taken;
  }

  /** Exactly so many bytes. For small counts: they are put together in memory. */
  async exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0;) {
      const part = await this.some(left);
      if (part === null) throw connectionCutError();
      parts.push(part);
      left -= part.length;
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  /** Up to the next line feed, without the line end, as Latin-1. Throws `internal` for a line of more than `max` bytes. */
  async line(max: number): Promise<string> {
    let text = '';
    for (;;) {
      const part = await this.some(max - text.length + 1);
      if (part === null) throw connectionCutError();
      const end = part.indexOf(lineFeed);
      text += part.toString('latin1', 0, end < 0 ? part.length : end);
      if (end >= 0) {
        this.#giveBack(part.subarray(end + 1));
        return text.endsWith('\r') ? text.slice(0, -1) : text;
      }
      if (text.length > max) throw protocolError('a line of the answer is too long');
    }
  }

  #giveBack(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#chunks.unshift(rest);
    this.#heldBytes += rest.length;
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes >= maxHeldBytes) this.#socket.pause();
    this.#wake?.();
  }

  #end(error: Error | null): void {
    this.#over ??= { error };
    this.#wake?.();
  }
}

export function connectionCutError(cause?: unknown): CaissonError {
  return new CaissonError('unavailable', 'the connection to the service was cut', {
    details: { sent: true },
    ...(cause === undefined ? {} : { cause }),
    remedy: 'caisson service status shows whether it runs',
  });
}

/** The other side does not speak the protocol. */
export function protocolError(what: string): CaissonError {
  return new CaissonError('internal', `what answers on the socket is no service of Caisson: ${what}`);
}
