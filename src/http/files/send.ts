/** Sends a file part after part, as fast as the client takes it, with its digest. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Bytes } from '../reply.ts';
import { digestHeader } from './staging.ts';

type Headers = Readonly<Record<string, string>>;

/** A trailer needs a body, so that a digest that is known at the end only is not in the head. */
export function headOfBytes({ size, sha256, headers }: Bytes): Headers {
  const digest = sha256 === null ? {} : { 'repr-digest': digestHeader(sha256) };
  const length = size === null ? {} : { 'content-length': String(size) };
  return { ...digest, ...length, 'content-type': 'application/octet-stream', ...headers };
}

export function sendHead(response: ServerResponse, headers: Headers): void {
  response.writeHead(200, { ...headers });
  response.end();
}

/** The trailer with the digest needs chunks, so that there the length is a header of its own. */
function headOfChunks(bytes: Bytes): Headers {
  const { 'content-length': length, ...head } = headOfBytes(bytes);
  return { ...head, trailer: 'Repr-Digest', ...(length === undefined ? {} : { 'x-content-length': length }) };
}

/** A file that changes or vanishes on the way breaks the connection off: the client sees that it is not complete. */
export async function sendBytes(
  response: ServerResponse,
  bytes: Bytes,
  { headers, signal }: { readonly headers: Headers; readonly signal: AbortSignal },
): Promise<void> {
  const { parts, sha256 } = bytes;
  response.writeHead(200, { ...headers, ...(sha256 === null ? headOfChunks(bytes) : headOfBytes(bytes)) });
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
