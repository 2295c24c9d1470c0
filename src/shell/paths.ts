/** Paths as a command would see them, by their text alone: links are not followed here. */
import { hole, homeMark } from './types.ts';

/**
 * Absolute and normal (`/etc/x`, `~/x`), with `hole` for parts that are not known; `null` when not even its beginning is.
 */
export function resolvePath(text: string, cwd: string | null): string | null {
  if (text.startsWith(homeMark)) return normalise(`~${text.slice(1)}`);
  if (text.startsWith('/')) return normalise(text);
  if (text.startsWith(hole) || cwd === null || cwd.startsWith(hole)) return null;
  return normalise(`${cwd}/${text}`);
}

function normalise(path: string): string {
  const inHome = path.startsWith('~');
  const parts: string[] = [];
  for (const part of path.split('/').slice(inHome ? 1 : 0)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  if (inHome) return climbsOut(path) ? '/home' : ['~', ...parts].join('/');
  return withoutDetours(parts);
}

/** `~/..` is the directory of all homes. */
function climbsOut(path: string): boolean {
  let depth = 0;
  for (const part of path.split('/').slice(1)) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** `/proc/self/root` is `/`; macOS keeps `/etc` and `/var` under `/private`. */
function withoutDetours(parts: readonly string[]): string {
  let from = 0;
  while (parts[from] === 'proc' && /^(self|thread-self|\d+)$/.test(parts[from + 1] ?? '') && parts[from + 2] === 'root')
    from += 3;
  if (parts[from] === 'private' && /^(etc|var|tmp)$/.test(parts[from + 1] ?? '')) from += 1;
  return `/${parts.slice(from).join('/')}`;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
