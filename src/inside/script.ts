/**
 * The text of a script that runs in a sandbox: its parts, which are the `.sh` files beside this one, one after the other.
 * Comments on lines of their own and indentation are left out, since the text travels with every start.
 */
import { asset } from '../lib/asset.ts';

const known = new Map<string, string>();

/** `parts`: names without `.sh`, such as `files/read`. A part that defines functions comes before what calls them. */
export function scriptOf(...parts: readonly [string, ...string[]]): string {
  return parts.map(textOf).join('\n');
}

function textOf(part: string): string {
  const read = known.get(part) ?? stripped(asset(`src/inside/${part}.sh`));
  known.set(part, read);
  return read;
}

export function stripped(text: string): string {
  const lines = text.split('\n').map((line) => line.trimStart());
  return lines.filter((line) => line !== '' && !line.startsWith('#')).join('\n');
}
