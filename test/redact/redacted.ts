import { Redaction } from '../../src/redact/redactor.ts';
import type { Redactor } from '../../src/redact/types.ts';

/** What comes out of a redactor that is given the bytes in these pieces. */
export function through(redactor: Redactor, pieces: readonly (string | Buffer)[]): string {
  const out = pieces.flatMap((piece) => redactor.write(Buffer.from(piece)));
  return Buffer.concat([...out, ...redactor.end()]).toString('latin1');
}

export function redacted(text: string, declared: readonly { name: string; value: string }[] = []): string {
  return new Redaction(declared).text(text);
}

/** Cut at these places, whatever their order. */
export function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const edges = [0, ...places.map((place) => Math.min(place, bytes.length)), bytes.length].toSorted((a, b) => a - b);
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}

/** Made of pieces, so that no scanner of sources takes these for real. */
export const filler = (length: number): string => 'FAKE0notREAL1example2'.repeat(20).slice(0, length);
