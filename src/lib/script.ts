/**
 * Shell text from `.sh` files: the parts of a script, one after the other. Comments on lines of their own and indentation are
 * left out, since the text travels with every start.
 */
import { asset } from './asset.ts';

const known = new Map<string, string>();

/** `paths`: relative to the package, without `.sh`; one for bash alone ends in `.bash`. A part that defines functions comes before what calls them. */
export function shellText(...paths: readonly string[]): string {
  return paths.map(textOf).join('\n');
}

function textOf(path: string): string {
  const text = known.get(path) ?? stripped(asset(path.endsWith('.bash') ? path : `${path}.sh`));
  known.set(path, text);
  return text;
}

export function stripped(text: string): string {
  const lines = text.split('\n').map((line) => line.trimStart());
  return lines.filter((line) => line !== '' && !line.startsWith('#')).join('\n');
}
