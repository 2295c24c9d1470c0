/** One command in a sandbox at Modal, as the SDK carries its streams and its end. */
import { constants } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outputs, ProcessEnd, PtyProcess } from '../../src/backend.ts';
import { CaissonError, toCaissonError } from '../../src/errors.ts';
import { Output } from '../shared/output.ts';
import { endOf } from '../shared/outputs.ts';
import { patiently } from './retry.ts';
import type { Handle } from './sdk.ts';

export type Running = Awaited<ReturnType<typeof execBinary>>;

/** The one place where its overloads are chosen: bytes, not text. */
export function execBinary(handle: Handle, command: string[], how: Omit<Parameters<Handle['exec']>[1], 'mode'> = {}) {
  return handle.exec(command, { ...how, mode: 'binary' as const });
}

export interface ProcessId {
  readonly pid: number;
  /** Start time in clock ticks (proc(5)): the same pid with another one is another process. */
  readonly born: string;
}

/** Commands of our own that reach a process of the sandbox. */
export interface Reach {
  signal(id: ProcessId, signal: string): Promise<void>;
  resize(id: ProcessId, size: { readonly rows: number; readonly columns: number }): Promise<void>;
}

export interface Carried {
  readonly running: Running;
  readonly nonce: string;
  readonly stdin: boolean;
  readonly terminal: boolean;
  readonly reach: Reach;
}

const bufferBytes = 1024 * 1024;
/** What the service still sends after the end of a command arrives within this time, unless a stream is held. */
const openStreamMs = 2000;

export class ModalProcess implements PtyProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The shell's answer: that it is about to become the command, or why not. */
  readonly head: Promise<string>;
  readonly #carried: Carried;
  readonly #sources: readonly Readable[];
  readonly #input: Writable;
  readonly #end: Promise<ProcessEnd>;
  #over = false;
  #id: ProcessId | null = null;

  constructor(carried: Carried) {
    const { running, nonce, terminal } = carried;
    this.#carried = carried;
    const out = readable(running.stdout);
    const err = terminal ? Readable.from([]) : readable(running.stderr);
    this.#sources = [out, err];
    const stdout = new Output(out, nonce, noShellError);
    this.head = stdout.head;
    this.stdout = stdout.stream;
    this.stderr = terminal ? err : new Output(err, nonce, noShellError).stream;
    this.#input = writable(running);
    this.stdin = carried.stdin ? this.#input : null;
    this.#end = patiently(() => running.wait(), undefined, ['resource_exhausted'])
      .then(endFrom, lost)
      .finally(() => (this.#over = true));
    this.#end.catch(() => undefined);
  }

  /** Known from the head on. */
  set id(id: ProcessId) {
    this.#id = id;
  }

  /** Before anything else reaches its stdin. */
  feed(text: string): void {
    this.#input.write(text);
  }

  wait(): Promise<ProcessEnd> {
    return this.#end;
  }

  /**
   * The service ends a stream after its last byte, and the SDK goes on from the byte where a connection broke, so that a
   * stream that ended is whole. One that stays open is held there, by a process that is not named.
   */
  async outputs(): Promise<Outputs> {
    const cut = await this.#end.then(
      () => null,
      (error: unknown): Outputs => ({ is: 'cut', why: toCaissonError(error).message }),
    );
    if (cut !== null) return cut;
    const late = delay(openStreamMs, null, { ref: false });
    const streams = await Promise.race([endOf([this.stdout, this.stderr]), late]);
    return streams ?? { is: 'unknown', why: 'a stream stays open, and Modal does not report which process holds it' };
  }

  async kill(signal: string): Promise<void> {
    if (!Object.hasOwn(constants.signals, signal))
      throw new CaissonError('invalid_argument', `there is no signal ${JSON.stringify(signal.slice(0, 20))}`);
    if (this.#over || this.#id === null) return;
    await this.#carried.reach.signal(this.#id, signal);
  }

  release(): void {
    this.#input.destroy();
    this.stdout.destroy();
    this.stderr.destroy();
    for (const source of this.#sources) source.destroy();
  }

  async resize(columns: number, rows: number): Promise<void> {
    if (!this.#over && this.#id !== null) await this.#carried.reach.resize(this.#id, { rows, columns });
  }
}

/** The SDK reads on when it is asked for more, so that a stream without a reader waits at the service. */
function readable(stream: AsyncIterable<Uint8Array>): Readable {
  const source = Readable.from(buffers(stream), { objectMode: false, highWaterMark: bufferBytes });
  source.on('error', () => undefined);
  return source;
}

async function* buffers(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const bytes of stream) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** One request at a time, each with what has come together meanwhile. What the command does not take any more is dropped. */
function writable({ stdin }: Running): Writable {
  const writer = stdin.getWriter();
  writer.closed.catch(() => undefined);
  const put = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => await writer.write(bytes).catch(() => undefined);
  const stream = new Writable({
    highWaterMark: bufferBytes,
    write: (chunk: Buffer<ArrayBuffer>, _encoding, done) => void put(chunk).finally(done),
    writev: (chunks, done) => void put(Buffer.concat(chunks.map(bytesOf))).finally(done),
    final: (done) =>
      void writer
        .close()
        .catch(() => undefined)
        .finally(done),
  });
  // The command may close its end at any time; by the contract that does not count as a failure.
  stream.on('error', () => undefined);
  return stream;
}

function bytesOf({ chunk }: { readonly chunk: unknown }): Uint8Array {
  return chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
}

/** The SDK gives 128 and the number of a signal, as a program may by itself: which it was stays open. */
function endFrom(code: number): ProcessEnd {
  if (Number.isInteger(code) && code >= 0 && code <= 255) return { exitCode: code, signal: null, outOfMemory: false };
  throw new CaissonError('unavailable', 'Modal reported an exit code that there is not', { details: { code } });
}

function lost(cause: unknown): never {
  if (cause instanceof CaissonError) throw cause;
  throw new CaissonError('unavailable', 'Modal does not know any more how the command ended', { cause });
}

function noShellError(): CaissonError {
  return new CaissonError('unavailable', 'no shell came up in the sandbox', {
    remedy: 'use an image with a POSIX shell at /bin/sh',
  });
}
