/** Character edges in UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). Pure. */

/** Bytes of the valid character that begins at `at`; 0 when no valid one begins there. */
export function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === undefined) return 0;
  if (first < 0x80) return 1;
  const second = bytes[at + 1] ?? 0;
  if (first >= 0xc2 && first <= 0xdf) return within(second, 0x80, 0xbf) ? 2 : 0;
  const third = bytes[at + 2] ?? 0;
  if (first >= 0xe0 && first <= 0xef) {
    const [low, high] = first === 0xe0 ? [0xa0, 0xbf] : first === 0xed ? [0x80, 0x9f] : [0x80, 0xbf];
    return within(second, low, high) && within(third, 0x80, 0xbf) ? 3 : 0;
  }
  if (first < 0xf0 || first > 0xf4) return 0;
  const [low, high] = first === 0xf0 ? [0x90, 0xbf] : first === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
  return within(second, low, high) && within(third, 0x80, 0xbf) && within(bytes[at + 3] ?? 0, 0x80, 0xbf) ? 4 : 0;
}

function within(byte: number, low: number, high: number): boolean {
  return byte >= low && byte <= high;
}

/** The character that `at` would cut in two, as its first and last-plus-one index; `null` when `at` is an edge. */
export function characterAcross(bytes: Uint8Array, at: number): readonly [number, number] | null {
  for (let start = at - 1; start >= Math.max(0, at - 3); start--) {
    const end = start + characterLength(bytes, start);
    if (end > at) return [start, end];
  }
  return null;
}
