/**
 * The streams of one attached process over one connection, with back-pressure: when a reader of stdout or stderr is
 * full, the connection is paused, and with it, through the engine's own buffers, the command.
 */
import { Readable, Writable, type Duplex } from 'node:stream';
import { CaissonError } from '../../../src/errors.ts';
import { Demultiplexer, type Stream } from './demux.ts';
import type { Hijacked } from '../engine/hijack.ts';

const bufferBytes = 256 * 1024;
/** What is read in beyond that of a process that has ended, so that the engine can finish with it. */
const slackBytes = 1024 * 1024;

export interface ChannelOptions {
  /** A terminal has one stream and no frames. */
  readonly tty: boolean;
  readonly stdin: boolean;
  /** Called with the first chunk. May hold it back for a moment; `drop` has it reach no reader. */
  readonly onFirst?: (chunk: Buffer) => Promise<'pass' | 'drop'> | null;
  readonly onActivity?: () => void;
  /** A reader is full, and the connection waits for it. */
  readonly onHeld?: () => void;
  /** Called once, when nothing more will come. */
  readonly onEnd?: () => void;
}

/** How a connection came to its end. */
export interface Closed {
  /** `null`: a clean end, which an engine also sends after it has dropped bytes. */
  readonly fault: string | null;
  readonly bytes: number;
  /** Time of the end by `performance.now()`. */
  readonly at: number;
  /** When a reader last held it up; -Infinity when none did. */
  readonly heldAt: number;
}

export class Channel {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly stdin: Writable | null;
  readonly #connection: Hijacked;
  readonly #options: ChannelOptions;
  readonly #demultiplexer: Demultiplexer | null;
  readonly #full = new Set<Stream>();
  #holding: Promise<unknown> | null = null;
  readonly #closed = Promise.withResolvers<Closed>();
  #bytes = 0;
  #heldAt = -Infinity;
  #sawFirst = false;
  #slack = 0;
  #over = false;

  constructor(connection: Hijacked, options: ChannelOptions) {
    this.#connection = connection;
    this.#options = options;
    this.stdout = this.#reader('stdout');
    this.stderr = this.#reader('stderr');
    this.stdin = options.stdin ? writer(connection.output) : null;
    this.#demultiplexer = options.tty ? null : new Demultiplexer((stream, bytes) => this.#push(stream, bytes));
    this.#listen();
  }

  /** Bytes of stdin can still be sent. */
  get stdinOpen(): boolean {
    return this.stdin !== null && !this.stdin.writableEnded && !this.stdin.destroyed;
  }

  /** Resolves when nothing more will come. */
  get closed(): Promise<Closed> {
    return this.#closed.promise;
  }

  get held(): boolean {
    return this.#full.size > 0 && !this.#over;
  }

  slacken(): void {
    if (this.#slack > 0 || this.#over) return;
    this.#slack = slackBytes;
    this.#full.clear();
    this.#resume();
  }

  /** Takes what still comes and forgets it; the command sees the end of its stdin. */
  discard(): void {
    if (this.#over) return;
    this.stdin?.end();
    this.stdout.destroy();
    this.stderr.destroy();
  }

  release(): void {
    this.#finish(new Error('its reader gave it up'));
    this.stdout.destroy();
    this.stderr.destroy();
    this.stdin?.destroy();
  }

  #listen(): void {
    const { input, output, head } = this.#connection;
    input.on('data', (chunk: Buffer) => this.#take(chunk));
    input.on('end', () => this.#close(null));
    input.on('close', () => this.#close(input.readableEnded ? null : new Error('closed before its end')));
    input.on('error', (error) => this.#close(error));
    if (output !== input) output.on('error', (error) => this.#close(error));
    if (head.length > 0) this.#take(head);
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    this.#bytes += chunk.length;
    this.#options.onActivity?.();
    if (!this.#sawFirst) {
      this.#sawFirst = true;
      this.#holding = this.#options.onFirst?.(chunk) ?? null;
    }
    if (this.#holding) this.#hold(chunk);
    else this.#pass(chunk);
  }

  /** Chunks that come while the first one is looked at wait in their order; the connection is paused meanwhile. */
  #hold(chunk: Buffer): void {
    this.#connection.input.pause();
    const held = (this.#holding ?? Promise.resolve()).then((what) => {
      if (!this.#over && what !== 'drop') this.#pass(chunk);
      if (this.#holding === held) this.#holding = null;
      this.#resume();
    });
    this.#holding = held;
  }

  #pass(chunk: Buffer): void {
    if (!this.#demultiplexer) {
      this.#push('stdout', chunk);
      return;
    }
    try {
      this.#demultiplexer.write(chunk);
    } catch (error) {
      this.#close(error);
    }
  }

  #push(stream: Stream, bytes: Buffer): void {
    const reader = this[stream];
    // A reader that was given up takes nothing and must not stop the other one.
    if (reader.destroyed || reader.push(bytes)) return;
    this.#slack -= bytes.length;
    if (this.#slack > 0) return;
    this.#full.add(stream);
    this.#heldAt = performance.now();
    this.#connection.input.pause();
    this.#options.onHeld?.();
  }

  #reader(stream: Stream): Readable {
    const wanted = (): void => {
      this.#full.delete(stream);
      this.#resume();
    };
    const reader = new Readable({ highWaterMark: bufferBytes, read: wanted });
    reader.on('close', wanted);
    // Readers get the error by reading; one without a reader must not end the service.
    reader.on('error', () => {});
    return reader;
  }

  #resume(): void {
    if (this.#full.size === 0 && !this.#holding && !this.#over) this.#connection.input.resume();
  }

  #close(error: unknown): void {
    if (this.#over) return;
    if (this.#holding) void this.#holding.then(() => this.#close(error));
    else this.#settle(error);
  }

  #settle(error: unknown): void {
    const fault = error === null ? this.#tornFrame() : error;
    this.#finish(fault);
    for (const reader of [this.stdout, this.stderr]) {
      if (fault === null) reader.push(null);
      else reader.destroy(streamError(fault));
    }
  }

  #tornFrame(): unknown {
    try {
      this.#demultiplexer?.end();
      return null;
    } catch (error) {
      return error;
    }
  }

  #finish(fault: unknown): void {
    if (this.#over) return;
    this.#over = true;
    const why = fault === null ? null : `the connection to the engine was lost after ${this.#bytes} bytes`;
    const [at, heldAt] = [performance.now(), this.held ? performance.now() : this.#heldAt];
    this.#closed.resolve({ fault: why, bytes: this.#bytes, at, heldAt });
    this.#connection.input.destroy();
    this.#connection.output.destroy();
    this.#options.onEnd?.();
  }
}

function streamError(error: unknown): CaissonError {
  if (error instanceof CaissonError) return error;
  return new CaissonError('unavailable', 'the connection to the process broke', { cause: error });
}

/** Half-closes the connection at its end. */
function writer(output: Duplex): Writable {
  const stdin = new Writable({
    highWaterMark: bufferBytes,
    write: (chunk: Buffer, _encoding, done) => void output.write(chunk, done),
    final: (done) => void output.end(done),
  });
  // The command may close its end at any time; by the contract that does not count as a failure.
  stdin.on('error', () => {});
  return stdin;
}
