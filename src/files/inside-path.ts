/** Paths inside a sandbox as a caller writes them, with what `docker cp` reads from their ends. */
import { basename, posix } from 'node:path';
import { CaissonError } from '../errors.ts';

/** PATH_MAX, with room for the names we add. */
const maxBytes = 3800;

export interface InsidePath {
  /** Absolute and clean: no `.`, `..`, double or trailing slash. */
  readonly path: string;
  /** It ended in a slash: it must be a directory. */
  readonly slash: boolean;
}

export function insidePath(path: string): InsidePath {
  if (!path.startsWith('/')) throw insidePathError(`the path inside the sandbox must be absolute, not "${path}"`);
  if (path.includes('\0')) throw insidePathError('a path cannot hold a NUL byte');
  if (Buffer.byteLength(path) > maxBytes) throw insidePathError(`the path is longer than ${maxBytes} bytes`);
  const clean = posix.normalize(path);
  const slash = /\/\.?$/.test(path);
  return { path: clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean, slash };
}

/**
 * The name a source takes inside an existing directory. `null` for `DIR/.`, which means what is in it, and for `/`,
 * which has no name. `clean` is the same path, resolved.
 */
export function sourceName(source: string, clean: string): string | null {
  return /(^|\/)\.$/.test(source) || clean === '/' ? null : basename(clean);
}

function insidePathError(message: string): CaissonError {
  return new CaissonError('invalid_argument', message, { remedy: 'give an absolute path such as /workspace/file' });
}
