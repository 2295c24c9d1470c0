import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { StreamName } from '../values/exec-event.ts';
import type { Extent } from './payload.ts';
import { diskProblem } from './problem.ts';

/** What may wait for the disk before the command has to. */
const queueBytes = 1024 * 1024;
const writeBytes = 1024 * 1024;
/** So much is written at once, or what came within `batchMs`: a call for every chunk costs more than the bytes do. */
const batchBytes = 256 * 1024;
const batchMs = 4;

export interface Spilled extends Extent {
  readonly stream: StreamName;
  /** In the whole of the stream. */
  readonly offset: number;
}

export interface SpillOptions {
  readonly directory: string;
  readonly execId: string;
  /** Called when bytes are in the file, in order. */
  readonly onSpilled: (spilled: Spilled) => void;
}

interface Piece {
  readonly stream: StreamName;
  readonly offset: number;
  readonly chunk: Uint8Array;
}

/** The output of one talkative exec, in two files of its own: bytes as they came, nothing between. */
export class Spill {
  readonly #options: SpillOptions;
  readonly #files: Partial<Record<StreamName, { readonly handle: FileHandle; size: number }>> = {};
  #queue: Piece[] = [];
  #queued = 0;
  #pumping: Promise<void> | null = null;
  #soon: NodeJS.Timeout | null = null;
  /** All that is queued is due, however little it is. */
  #due = false;
  #waiting: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null;
  #problem: string | null = null;

  constructor(options: SpillOptions) {
    this.#options = options;
  }

  get problem(): string | null {
    return this.#problem;
  }

  write(piece: Piece): Promise<void> | void {
    if (this.#problem !== null) return;
    this.#queue.push(piece);
    this.#queued += piece.chunk.length;
    this.#start();
    if (this.#queued < queueBytes) return;
    this.#waiting ??= Promise.withResolvers<void>();
    return this.#waiting.promise;
  }

  /** Resolves when all that came is in the files, or never will be. */
  async close(): Promise<void> {
    this.#startAll();
    await this.#pumping;
    for (const file of Object.values(this.#files)) await file.handle.close();
  }

  #start(): void {
    if (this.#due || this.#queued >= batchBytes) this.#pumping ??= this.#pump();
    else this.#soon ??= setTimeout(() => this.#startAll(), batchMs);
  }

  #startAll(): void {
    if (this.#soon !== null) clearTimeout(this.#soon);
    this.#soon = null;
    this.#due = this.#queue.length > 0;
    if (this.#due) this.#start();
  }

  async #pump(): Promise<void> {
    try {
      while (this.#due || this.#queued >= batchBytes) {
        await this.#writeRun(this.#takeRun());
        this.#due &&= this.#queue.length > 0;
      }
    } catch (error) {
      // The command goes on; the offsets show what is not kept.
      this.#problem = diskProblem(error);
      this.#queue = [];
      this.#queued = 0;
      this.#due = false;
    } finally {
      this.#pumping = null;
      this.#wake();
      if (this.#queue.length > 0) this.#start();
    }
  }

  /** Pieces of one stream that follow each other, as much as one write takes. */
  #takeRun(): Piece[] {
    const first = this.#queue[0];
    let bytes = 0;
    const end = this.#queue.findIndex(({ stream, chunk }) => {
      bytes += chunk.length;
      return stream !== first?.stream || bytes > writeBytes;
    });
    return this.#queue.splice(0, end === -1 ? this.#queue.length : Math.max(1, end));
  }

  async #writeRun(run: readonly Piece[]): Promise<void> {
    const [first] = run;
    if (first === undefined) return;
    const file = await this.#file(first.stream);
    const fileOffset = file.size;
    let left = run.map(({ chunk }) => chunk);
    const length = left.reduce((sum, chunk) => sum + chunk.length, 0);
    while (left.length > 0) {
      const { bytesWritten } = await file.handle.writev(left);
      file.size += bytesWritten;
      left = after(left, bytesWritten);
    }
    this.#queued -= length;
    this.#options.onSpilled({ stream: first.stream, offset: first.offset, fileOffset, length });
    if (this.#queued < queueBytes / 2) this.#wake();
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }

  async #file(stream: StreamName): Promise<{ readonly handle: FileHandle; size: number }> {
    const { directory, execId } = this.#options;
    return (this.#files[stream] ??= { handle: await open(spillPath(directory, execId, stream), 'ax', 0o600), size: 0 });
  }
}

export function spillPath(directory: string, execId: string, stream: StreamName): string {
  return join(directory, `${execId}.${stream}`);
}

function after(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  const left: Uint8Array[] = [];
  for (const chunk of chunks) {
    if (skip < chunk.length) left.push(chunk.subarray(skip));
    skip = Math.max(0, skip - chunk.length);
  }
  return left;
}
