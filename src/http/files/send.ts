/** Sends a file part after part, as fast as the client takes it, with its digest. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Bytes } from '../reply.ts';
import { digestHeader } from './staging.ts';

/** A file that changes or vanishes on the way breaks the connection off: the client sees that it is not complete. */
export async function sendBytes(
  response: ServerResponse,
  { parts, size, sha256, ...more }: Bytes,
  { headers, signal }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<void> {
  const inHeader = sha256 === null ? { trailer: 'Repr-Digest' } : { 'repr-digest': digestHeader(sha256) };
  // A trailer needs chunks, so that there the length is a header of its own.
  const name = sha256 === null ? 'x-content-length' : 'content-length';
  const length = size === null ? {} : { [name]: String(size) };
  const type = { 'content-type': 'application/octet-stream' };
  response.writeHead(200, { ...headers, ...inHeader, ...length, ...type, ...more.headers });
  const hash = createHash('sha256');
  const counted = async function* (): AsyncGenerator<Buffer, void, void> {
    for await (const part of parts) {
      if (sha256 === null) hash.update(part);
      yield part;
    }
    if (sha256 === null) response.addTrailers({ 'Repr-Digest': digestHeader(hash.digest('hex')) });
  };
  await pipeline(Readable.from(counted(), { objectMode: false }), response, { signal });
}
