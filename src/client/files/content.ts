/** Contents of files on the wire: sizes, digests and conditions in headers. */
import { CaissonError } from '../../errors.ts';
import type { ByteSource, ClientFileSource, ClientFilesApi } from '../types.ts';
import { base64Of } from '../wire/base64.ts';
import { unreachableError } from '../wire/away.ts';

type Headers = Readonly<Record<string, string>>;

export function contentOf({
  headers,
  bytes,
}: {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}): Awaited<ReturnType<ClientFilesApi['read']>> {
  const size = Number(headers['x-file-size'] ?? NaN);
  if (!Number.isSafeInteger(size)) throw new CaissonError('internal', 'the service did not say how large the file is');
  return { bytes, size, sha256: digestIn(headers) };
}

/** RFC 9530. `null`: none, or one in the trailer, which `fetch` does not give. */
export function digestIn(headers: Headers): string | null {
  const base64 = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers['repr-digest'] ?? '')?.[1];
  if (base64 === undefined) return null;
  return [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** A body that ends early was cut, also where the connection ended in order. */
export async function* whole(body: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array, void, void> {
  let read = 0;
  for await (const part of body) {
    read += part.length;
    yield part;
  }
  if (read !== size) throw unreachableError(`the file was cut: ${read} of ${size} bytes have come`, { sent: true });
}

interface Source {
  readonly body: string | Uint8Array | ByteSource;
  readonly digest: Headers;
}

export function sourceOf(bytes: string | Uint8Array | ClientFileSource): Source {
  if (typeof bytes === 'string' || bytes instanceof Uint8Array) return { body: bytes, digest: {} };
  if (!/^[0-9a-f]{64}$/.test(bytes.sha256))
    throw new CaissonError('invalid_argument', 'sha256 is 64 hexadecimal digits');
  const pairs = bytes.sha256.match(/../g) ?? [];
  const base64 = base64Of(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
  return { body: bytes.open(), digest: { 'repr-digest': `sha-256=:${base64}:` } };
}

/** What must be there before: a digest, `null` for no file. */
export function expectation(expected: string | null | undefined): Headers {
  if (expected === undefined) return {};
  return expected === null ? { 'if-none-match': '*' } : { 'if-match': `"${expected}"` };
}
