/** Paths inside a sandbox, and on the host as text. Nothing here touches a file system. */
import { posix } from 'node:path';

/** `null` when it is an absolute path without surprises; otherwise what is wrong with it. */
export function pathProblem(path: string): string | null {
  if (!path.startsWith('/')) return 'it must be absolute';
  if (path.length > 4096) return 'it is longer than 4096 characters';
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'it holds a control character';
  if (segments(path).includes('..')) return 'it must not hold ".."';
  return null;
}

/**
 * A directory inside a sandbox in which commands may start, or onto which something may be mounted. The kernel's own
 * file systems are refused: a working directory such as /proc/self/fd/7 has led out of containers (CVE-2024-21626).
 */
export function insideProblem(path: string): string | null {
  const problem = pathProblem(path);
  if (problem !== null) return problem;
  return ['/proc', '/sys', '/dev'].some((tree) => isWithin(path, tree))
    ? 'it must not be under /proc, /sys or /dev'
    : null;
}

/** Without doubled or trailing slashes and `.`, so that two spellings of one path make one spec. */
export function canonicalPath(path: string): string {
  return `/${segments(path).join('/')}`;
}

/** Whether `path` is `tree` or lies in it, by segments: /etcetera is not in /etc. */
export function isWithin(path: string, tree: string): boolean {
  const inner = segments(path);
  return segments(tree).every((segment, index) => inner[index] === segment);
}

function segments(path: string): string[] {
  return path.split(posix.sep).filter((segment) => segment !== '' && segment !== '.');
}
