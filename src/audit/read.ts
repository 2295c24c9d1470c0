/**
 * Lines of the files of the audit in blocks, from the end or from the beginning: a file may have 16 MiB, and many readers may come
 * at once. Between two blocks everything else has its turn.
 */
import type { FileHandle } from 'node:fs/promises';
import { turn } from '../lib/turns.ts';

const blockBytes = 64 * 1024;
const newline = 10;

export interface Line {
  readonly text: string;
  /** Behind its newline; of a line without one, where it begins. */
  readonly end: number;
}

/** Which lines of a file are read. */
export interface Lines {
  /** The last line first. */
  backward(file: FileHandle): AsyncIterable<string>;
  /** From an offset at which a line begins. */
  forward(file: FileHandle, from: number): AsyncIterable<Line>;
}

/** The last line first. */
async function* backward(file: FileHandle): AsyncGenerator<string, void, void> {
  let end = (await file.stat()).size;
  let rest: Buffer = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - blockBytes);
    const bytes = Buffer.concat([await blockOf(file, start, end), rest]);
    end = start;
    // What lies before the first newline belongs to a line that begins in an earlier block.
    const first = start === 0 ? 0 : bytes.indexOf(newline) + 1;
    rest = start > 0 && first === 0 ? bytes : bytes.subarray(0, first);
    if (rest !== bytes) yield* bytes.toString('utf8', first).split('\n').toReversed();
    await turn();
  }
}

/** From an offset at which a line begins. */
export async function* forward(
  file: FileHandle,
  from: number,
  bytesAtOnce = blockBytes,
): AsyncGenerator<Line, void, void> {
  const { size } = await file.stat();
  let rest: Buffer = Buffer.alloc(0);
  for (let at = from; at < size; at += bytesAtOnce) {
    const bytes = Buffer.concat([rest, await blockOf(file, at, Math.min(size, at + bytesAtOnce))]);
    const origin = at - rest.length;
    let begin = 0;
    for (let to = bytes.indexOf(newline); to !== -1; to = bytes.indexOf(newline, begin)) {
      yield { text: bytes.toString('utf8', begin, to), end: origin + to + 1 };
      begin = to + 1;
    }
    rest = bytes.subarray(begin);
    await turn();
  }
  if (rest.length > 0) yield { text: rest.toString(), end: size - rest.length };
}

async function blockOf(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
  return buffer.subarray(0, bytesRead);
}

export const allLines: Lines = { backward, forward };
