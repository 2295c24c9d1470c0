/** Input for boot.sh: how the text comes that starts the command, and how its stdin does. */

/** Longest frame: what `dd` of the sandbox takes at once. */
export const longestFrame = 64 * 1024;
/** A shell reads a line byte by byte, and a block by a process of its own: they meet at about this length. */
const longestLine = 1024;

/** One part of the input behind the head: its length on a line, and its bytes. A length of 0 ends the input. */
export function framed(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length}\n`), bytes]);
}

export const endFrame = Buffer.from('0\n');

interface Head {
  /** Ends with its only newline, or is a block. */
  readonly text: Buffer;
  /** Text that boot.sh prints at the end. */
  readonly mark: string;
  readonly stdin: 'none' | 'plain' | 'framed';
  /** The pod that is meant. `null`: any. */
  readonly uid: string | null;
}

/** What follows a plain head is the command's stdin; behind a framed one come frames, of which the first ones carry the text. */
export function head({ text, mark, stdin, uid }: Head): Buffer {
  const rest = `${mark} ${uid ?? ''}`.trimEnd();
  if (stdin === 'framed')
    return Buffer.concat([Buffer.from(`f ${text.length} ${rest}\n`), ...pieces(text).map(framed)]);
  const isLine = text.length <= longestLine && text.indexOf('\n') === text.length - 1;
  return Buffer.concat([Buffer.from(`${stdin === 'none' ? 'r' : 's'} ${isLine ? 0 : text.length} ${rest}\n`), text]);
}

export function pieces(bytes: Buffer): readonly Buffer[] {
  const count = Math.ceil(bytes.length / longestFrame);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * longestFrame, (index + 1) * longestFrame));
}
