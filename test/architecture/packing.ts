/** Finds code that is written to take fewer lines, not to be read. */
import type { Sources } from './imports.ts';

/** A literal that is spread without a condition, and fields that one line sets by way of two arrays. */
const packed = /\.\.\.\{|^[ \t]*\[this\.[^\]\n]*\] = \[/gm;

export function packedIn(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) =>
    [...text.matchAll(packed)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${path}:${line}: is packed: ${found.trim()}`;
    }),
  );
}
