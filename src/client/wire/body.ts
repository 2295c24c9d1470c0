/** Reads an answer whole, as far as it is not too large. */
import { CaissonError } from '../../errors.ts';

const maxBytes = 256 * 1024 * 1024;

export async function bytesOf(body: AsyncIterable<Uint8Array>, max = maxBytes): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > max) throw new CaissonError('internal', 'the service sent more than this client takes');
    parts.push(part);
  }
  return joined(parts, size);
}

export const textOf = async (body: AsyncIterable<Uint8Array>, max?: number): Promise<string> =>
  new TextDecoder().decode(await bytesOf(body, max));

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
