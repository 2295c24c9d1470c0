/** Streams of the web over those of a command. */
import type { Input } from '../api.ts';
import { quiet, written } from '../input.ts';

/** Read with back-pressure; a reader that leaves gives up the stream, and the command goes on. */
export function outputStream(parts: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = parts[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 0 },
  );
}

/** Closing it is end of file. */
export function inputStream(stdin: Input): WritableStream<Uint8Array> {
  quiet(stdin);
  const end = async (): Promise<void> => void (await stdin.end());
  return new WritableStream<Uint8Array>({
    write: async (bytes) => await written(stdin, bytes),
    close: end,
    abort: end,
  });
}

/** Web streams are iterable in Node, and not in every browser. */
export async function* partsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
