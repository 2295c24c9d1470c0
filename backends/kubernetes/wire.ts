/** The streams of one command over a WebSocket: back-pressure both ways, pings, and its end. */
import { Readable } from 'node:stream';
import type { WebSocket } from 'ws';
import { CaissonError } from '../../src/errors.ts';
import { channel, endOfInput, exitCodeOf, frame, type Protocol, resizeFrame } from './channels.ts';
import { EndMark } from './end-mark.ts';
import { protocolOf } from './socket.ts';

const bufferBytes = 256 * 1024;
const pingMs = 15_000;
const mostMissed = 2;

export class Wire {
  readonly protocol: Protocol;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the marks of both streams are there: boot.sh then waits for the end of the input. */
  readonly marked: Promise<void>;
  /** The exit code. Rejects with `unavailable` when the socket closes without one. */
  readonly end: Promise<number>;
  /** One for each stream; only behind boot.sh. */
  readonly #marks: readonly [EndMark, EndMark] | null;
  readonly #socket: WebSocket;
  /** Those that take no more now. */
  readonly #full = new Set<Readable>();
  readonly #end = Promise.withResolvers<number>();
  readonly #allMarked = Promise.withResolvers<void>();
  readonly #pinger: NodeJS.Timeout;
  #missed = 0;
  #marksSeen = 0;
  #isEnded = false;

  /** `mark`: what boot.sh prints with the status; `null` where something else runs. */
  constructor(socket: WebSocket, mark: string | null) {
    this.#socket = socket;
    const found = (code: number): void => this.#marked(code);
    this.#marks = mark === null ? null : [new EndMark(mark, found), new EndMark(mark, found)];
    this.protocol = protocolOf(socket);
    this.stdout = this.#stream();
    this.stderr = this.#stream();
    this.end = this.#end.promise;
    this.end.catch(() => undefined);
    this.marked = this.#allMarked.promise;
    socket.binaryType = 'nodebuffer';
    socket.on('message', (message) => Buffer.isBuffer(message) && this.#take(message));
    socket.on('close', (code) => this.#close(code));
    socket.on('pong', () => (this.#missed = 0));
    this.#pinger = setInterval(() => this.#ping(), pingMs).unref();
    socket.resume();
  }

  /** `done` is called when the bytes have left, so that a command that does not read holds its writer. */
  write(bytes: Buffer, done: () => void = () => undefined): void {
    if (this.#socket.readyState !== this.#socket.OPEN) done();
    else this.#socket.send(frame(channel.stdin, bytes), () => done());
  }

  /** A message each: servers refuse long ones. */
  writeAll(parts: readonly Buffer[], done: () => void): void {
    const [last, ...others] = parts.toReversed();
    for (const each of others.toReversed()) this.write(each);
    this.write(last ?? Buffer.alloc(0), done);
  }

  endInput(): void {
    const bytes = endOfInput(this.protocol);
    if (bytes !== null && this.#socket.readyState === this.#socket.OPEN) this.#socket.send(bytes, () => undefined);
  }

  resize(columns: number, rows: number): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(resizeFrame(columns, rows), () => undefined);
  }

  /** What runs is not touched by this. */
  close(): void {
    this.#socket.terminate();
  }

  #stream(): Readable {
    const stream: Readable = new Readable({ highWaterMark: bufferBytes, read: () => this.#hasRoom(stream) });
    stream.on('error', () => undefined);
    stream.on('close', () => this.#hasRoom(stream));
    return stream;
  }

  /** One socket carries both streams: it is read while both have room. A stream that asks has room, though it may still hold what is being taken. */
  #hasRoom(stream: Readable): void {
    this.#full.delete(stream);
    if (this.#full.size === 0) this.#socket.resume();
  }

  #take(message: Buffer): void {
    const [number] = message;
    const bytes = message.subarray(1);
    if (number === channel.stdout) this.#push(this.stdout, this.#marks?.[0].feed(bytes) ?? bytes);
    else if (number === channel.stderr) this.#push(this.stderr, this.#marks?.[1].feed(bytes) ?? bytes);
    else if (number === channel.status && bytes.length > 0) this.#settle(bytes);
  }

  #push(stream: Readable, bytes: Buffer): void {
    if (bytes.length === 0 || stream.destroyed || stream.push(bytes)) return;
    this.#full.add(stream);
    this.#socket.pause();
  }

  #settle(bytes: Buffer): void {
    try {
      this.#endedWith(exitCodeOf(bytes));
    } catch (error) {
      this.#end.reject(error);
    }
  }

  #marked(code: number): void {
    this.#endedWith(code);
    this.#marksSeen += 1;
    if (this.#marksSeen === 2) this.#allMarked.resolve();
  }

  /** The first word counts: the mark of the shell comes before the status of the cluster. */
  #endedWith(code: number): void {
    this.#isEnded = true;
    this.#end.resolve(code);
  }

  #ping(): void {
    this.#missed += 1;
    // A socket that is not read shows no pong either: its reader is slow, and the connection may be well.
    if (this.#missed > mostMissed && !this.#socket.isPaused) this.#socket.terminate();
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  #close(code: number): void {
    clearInterval(this.#pinger);
    const fault = lost(code);
    this.#end.reject(fault);
    for (const [index, stream] of [this.stdout, this.stderr].entries()) {
      if (stream.destroyed) continue;
      const rest = this.#marks?.[index]?.rest();
      if (rest !== undefined) stream.push(rest);
      if (this.#isEnded) stream.push(null);
      else stream.destroy(fault);
    }
  }
}

function lost(code: number): CaissonError {
  return new CaissonError('unavailable', 'the connection to the pod closed before the command ended', {
    details: { close: code },
    remedy: 'see the state of the sandbox: `caisson ls`',
  });
}
