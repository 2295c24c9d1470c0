/** Which files can be synced by name. Pure. */
import { isUtf8 } from 'node:buffer';
import { type ByteName, toBytes } from '../byte-name.ts';
import { checkName } from '../entry-name.ts';
import { withDefaults } from '../limits.ts';

const limits = withDefaults();

/**
 * Files inside are asked for by text, and listed in lines, in which it is not known what the tools make of a newline or a
 * backslash. One of another name would end the whole sync. So would `./x`, `x/` and what has the name of a scratch
 * directory, which no look tells: only a sandbox that lies has them.
 */
export function canSync(path: ByteName): boolean {
  const plain = path.split('/').every((segment) => segment !== '' && segment !== '.' && !scratch.test(segment));
  return plain && !path.includes('\n') && checkName(path, limits).ok && isUtf8(toBytes(path));
}

/** Names of temporary files of copies and writes in progress. */
const scratch = /^\.caisson-(?:copy-|[0-9a-f]{16}$)/;

/** `a/b/c` -> `a`, `a/b` */
export function above(path: ByteName): readonly ByteName[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_segment, depth) => segments.slice(0, depth + 1).join('/'));
}
