/** Classes of bytes as tables: one look each, whatever the byte. */

export type ByteClass = Uint8Array;

export function byteClass(members: string, ranges: readonly (readonly [string, string])[] = []): ByteClass {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(members, 'latin1')) table[byte] = 1;
  for (const [from, to] of ranges) table.fill(1, from.charCodeAt(0), to.charCodeAt(0) + 1);
  return table;
}

export function without(members: string): ByteClass {
  return byteClass(members).map((member) => 1 - member);
}

export function has(table: ByteClass, byte: number | undefined): boolean {
  return byte !== undefined && table[byte] === 1;
}

const letters = [
  ['a', 'z'],
  ['A', 'Z'],
] as const;
const digits = ['0', '9'] as const;

export const alphanumeric = byteClass('', [...letters, digits]);
export const word = byteClass('_-', [...letters, digits]);
export const dotted = byteClass('_-.', [...letters, digits]);
/** RFC 6750, `b64token`. */
export const bearer = byteClass('_-.~+/=', [...letters, digits]);

/** The first byte from `at` on that is not of the class, or `end`. */
export function runEnd(buffer: Uint8Array, at: number, table: ByteClass, end = buffer.length): number {
  let index = at;
  while (index < end && has(table, buffer[index])) index += 1;
  return index;
}

/** The start of the run of the class that ends before `at`, not before `floor`. */
export function runStart(buffer: Uint8Array, at: number, table: ByteClass, floor: number): number {
  let index = at;
  while (index > floor && has(table, buffer[index - 1])) index -= 1;
  return index;
}

/** The buffer that was read last, whose bytes do not change, and its text. */
let read: Buffer | null = null;
let text = '';

/** Rules look at many short parts of one buffer: it becomes text once, since a slice costs a fraction of what a conversion does. */
export function latin1(buffer: Buffer, from: number, to: number): string {
  return textOf(buffer).slice(from, to);
}

export function textOf(buffer: Buffer): string {
  if (buffer !== read) {
    text = buffer.toString('latin1');
    read = buffer;
  }
  return text;
}
