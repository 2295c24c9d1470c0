/** Gives a command its input. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What a command does not read is not a failure: it may end without having read its input. */
export async function feed(stdin: NodeJS.WritableStream, input: string | Uint8Array | Readable): Promise<void> {
  const source = input instanceof Readable ? input : Readable.from([input]);
  await pipeline(source, stdin).catch(() => undefined);
}
