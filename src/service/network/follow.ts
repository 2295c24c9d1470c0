/** The record of connections of one sandbox, as it is written. */
import { open, stat, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Connection } from '../network-api.ts';
import { connectionIn } from './connection.ts';
import { doorOf, logOf } from '../../egress/places.ts';
import { given } from '../../lib/given.ts';

export interface FollowLogInput {
  readonly home: string;
  readonly sandboxId: string;
  readonly count: number;
  readonly follow: boolean;
  readonly signal: AbortSignal | undefined;
}

const lookEveryMs = 200;
const maxLineBytes = 64 * 1024;

/** The last ones on record, and with `follow` those to come: until the signal fires, or the record ends with its sandbox. */
export async function* readConnections(parts: FollowLogInput): AsyncIterable<Connection> {
  const { home, sandboxId, count, follow, signal } = parts;
  const path = logOf(home, sandboxId);
  const older = await Lines.open(`${path}.1`);
  let current = await Lines.open(path);
  try {
    // Kept to the end only: a record may hold tens of thousands.
    let last: Connection[] = [];
    for (const lines of [older, current])
      for await (const line of lines?.read() ?? []) {
        last.push(...connectionIn(line));
        if (last.length > 2 * count) last = last.slice(last.length - count);
      }
    yield* count === 0 ? [] : last.slice(-count);
    if (!follow) return;
    for (;;) {
      if (isOver(signal)) return;
      await sleep(lookEveryMs, undefined, given({ signal })).catch(() => undefined);
      const next = await successor(current, path);
      // What was written before the file was set aside.
      for await (const line of current?.read() ?? []) yield* connectionIn(line);
      if (next === 'same') continue;
      await current?.close();
      current = next;
      if (current === null && !(await isThere(home, sandboxId))) return;
      for await (const line of current?.read() ?? []) yield* connectionIn(line);
    }
  } finally {
    await older?.close();
    await current?.close();
  }
}

const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** The directory of its door goes with the sandbox. */
async function isThere(home: string, sandboxId: string): Promise<boolean> {
  return (await stat(doorOf(home, sandboxId)).catch(() => null)) !== null;
}

async function successor(current: Lines | null, path: string): Promise<Lines | null | 'same'> {
  const found = await stat(path).catch(() => null);
  if (found !== null && current !== null && found.ino === current.inode) return 'same';
  return await Lines.open(path);
}

/** Whole lines of a file that grows. */
class Lines {
  readonly inode: number;
  readonly #file: FileHandle;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  private constructor(file: FileHandle, inode: number) {
    this.#file = file;
    this.inode = inode;
  }

  /** `null`: the file does not exist. */
  static async open(path: string): Promise<Lines | null> {
    try {
      const file = await open(path, 'r');
      return new Lines(file, (await file.stat()).ino);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Those that have come since. */
  async *read(): AsyncIterable<string> {
    const chunk = Buffer.alloc(64 * 1024);
    for (;;) {
      const { bytesRead } = await this.#file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return;
      const lines = `${this.#rest}${this.#decoder.write(chunk.subarray(0, bytesRead))}`.split('\n');
      this.#rest = (lines.pop() ?? '').slice(0, maxLineBytes);
      yield* lines;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
