/** The texts of the scripts of this folder, which run in sandboxes. */
import { shellText } from '../lib/script.ts';

/** `parts`: names without `.sh`, such as `files/read`. A part that defines functions comes before what calls them. */
export function scriptOf(...parts: readonly [string, ...string[]]): string {
  return shellText(...parts.map((part) => `src/inside/${part}`));
}
