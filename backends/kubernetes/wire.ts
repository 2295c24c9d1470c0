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
/** Status of a shell that SIGKILL ended. */
const killed = 137;

/**
 * The end is known by the mark that boot.sh prints on both streams with the status, or by the status of the cluster. That of a
 * first process is a success however it ended, so that it says nothing.
 */
export type Telling = { readonly mark: string } | 'status' | 'first';

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
  /** What the streams break with: the end, in the words of who knows the pod. */
  #explained: Promise<unknown>;
  /** Whether the cluster has reported a kill, which may be overtaking the marks. */
  #isKilled = false;
  readonly #hasStatus: boolean;
  #missed = 0;
  #marksSeen = 0;
  #isEnded = false;

  constructor(socket: WebSocket, telling: Telling) {
    this.#socket = socket;
    const found = (code: number): void => this.#marked(code);
    this.#marks =
      typeof telling === 'string' ? null : [new EndMark(telling.mark, found), new EndMark(telling.mark, found)];
    this.#hasStatus = telling !== 'first';
    this.protocol = protocolOf(socket);
    this.stdout = this.#stream();
    this.stderr = this.#stream();
    this.end = this.#end.promise;
    this.end.catch(() => undefined);
    this.#explained = this.end;
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

  /** Streams that break wait for this to be settled. */
  breakWith(explained: Promise<unknown>): void {
    this.#explained = explained;
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
    else if (number === channel.status && bytes.length > 0 && this.#hasStatus) this.#settle(bytes);
  }

  #push(stream: Readable, bytes: Buffer): void {
    if (bytes.length === 0 || stream.destroyed || stream.push(bytes)) return;
    this.#full.add(stream);
    this.#socket.pause();
  }

  #settle(bytes: Buffer): void {
    try {
      const code = exitCodeOf(bytes);
      // The shell around the command has been killed itself, unless its mark is still on the way.
      if (code === killed && this.#marks !== null && this.#marksSeen === 0) this.#isKilled = true;
      else this.#endedWith(code);
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
    this.#end.reject(this.#isKilled ? shellKilled() : lost(code));
    if (this.#isEnded) this.#finish(null);
    else this.#explained.then(() => this.#finish(null)).catch((error: Error) => this.#finish(error));
  }

  /** `fault`: why more may have been to come. */
  #finish(fault: Error | null): void {
    for (const [index, stream] of [this.stdout, this.stderr].entries()) {
      if (stream.destroyed) continue;
      const rest = this.#marks?.[index]?.rest();
      if (rest !== undefined) stream.push(rest);
      if (fault === null) stream.push(null);
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

function shellKilled(): CaissonError {
  return new CaissonError(
    'unavailable',
    'the shell around the command was killed, so that the end of the command is not known',
    {
      remedy: 'see the state of the sandbox: `caisson ls`',
    },
  );
}
