/** Lines of a byte stream, of bounded length. */
import type { Readable } from 'node:stream';
import { abortError, CaissonError } from '../../../src/errors.ts';

const maxLineBytes = 1024 * 1024;

export async function* linesOf(stream: Readable, signal?: AbortSignal): AsyncGenerator<string> {
  const onAbort = (): void => void stream.destroy(signal ? abortError(signal) : undefined);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal?.aborted) onAbort();
    yield* split(stream);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    stream.destroy();
  }
}

async function* split(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      const line = Buffer.concat(parts).toString().trim();
      parts = [];
      bytes = 0;
      from = end + 1;
      if (line !== '') yield line;
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > maxLineBytes) throw new CaissonError('internal', 'the engine sent a line without end');
  }
  const rest = Buffer.concat(parts).toString().trim();
  if (rest !== '') yield rest;
}
