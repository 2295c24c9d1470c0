/**
 * Reads a file of any size as a stream. A first call reads the beginning: a small file whole, with its digest. One script then
 * writes the rest, with back-pressure from the reader.
 */
import { CaissonError } from '../../errors.ts';
import { insidePath } from '../inside-path.ts';
import { parseRead } from './parse.ts';
import type { ToolRun } from './run.ts';
import { longestSize, readFile, type Run } from './tools.ts';
import type { FileStream } from './types.ts';

/** `openTool` that begins when it is read. `withheld` becomes the last argument. */
export type Open = (run: ToolRun & { readonly withholds?: boolean }) => AsyncGenerator<Buffer, void, void>;

/** A multiple of the blocks that `inside/files/read.sh` seeks by. */
export const firstBytes = 4 * 1024 * 1024;

interface StreamHead {
  readonly path: string;
  readonly first: Buffer;
  readonly size: number;
}

export async function streamFile(
  ways: { readonly run: Run; readonly open: Open },
  { path }: { readonly path: string },
): Promise<FileStream> {
  const { bytes: first, size, sha256 } = await readFile(ways.run, { path, length: firstBytes });
  return { size, sha256, parts: partsOf(ways, { path, first, size }) };
}

/** Throws `conflict` for a file whose size changes on the way. */
async function* partsOf(
  { run, open }: { readonly run: Run; readonly open: Open },
  { path, first, size }: StreamHead,
): AsyncGenerator<Buffer, void, void> {
  yield first;
  let left = size - first.length;
  if (left === 0) return;
  const args = [insidePath(path).path, String(first.length + 1), ''] as const;
  for await (const part of afterSize(open({ script: 'read', args: [...args], withholds: true }), size)) {
    left -= part.length;
    if (left < 0) throw fileChangedError();
    yield part;
  }
  const now = await readFile(run, { path, offset: size, length: 0 });
  if (left > 0 || now.size !== size) throw fileChangedError();
}

/** Takes the line with the size off the front. */
async function* afterSize(output: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer, void, void> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of output) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (!head.includes(0x0a) && head.length < longestSize) continue;
    const said = parseRead(head);
    if (said.size !== size) throw fileChangedError();
    head = null;
    yield said.bytes;
  }
}

const fileChangedError = (): CaissonError =>
  new CaissonError('conflict', 'the file has changed while it was read', { remedy: 'read it again' });
