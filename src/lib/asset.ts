/** Files that the code reads beside itself: in a checkout, in `dist/`, and wherever a bundle puts them. */
import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** `path` is relative to the package: `src/inside/files/read.sh`. */
export function asset(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}
