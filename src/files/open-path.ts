/**
 * Finds what the operator named on the host.
 *
 * Links in such a path are the operator's own and are followed, except below an `untrusted` directory: one that a
 * sandbox can write, for example the task's directory or a writable mount. A link found there may have been planted and
 * is refused, also when a link of the operator's leads there.
 */
import { readlinkSync, realpathSync } from 'node:fs';
import { CaissonError } from '../errors.ts';
import { type ByteName, fromText, printable } from './byte-name.ts';
import { at, closeDirectory, type Directory, openChild, realPath, rootDirectory } from './directory.ts';
import { errnoOf, fsError } from './fs-error.ts';

/** Links in one path; the kernel has the same limit (path_resolution(7)). */
const maxLinks = 40;

/** What a path names. The caller closes the directory it gets. */
export type PathTarget =
  | { readonly kind: 'directory'; readonly directory: Directory }
  /** Something else, or nothing, with this name in this directory. */
  | { readonly kind: 'other' | 'missing'; readonly directory: Directory; readonly name: ByteName };

/** `path` is absolute. Throws `not_found` when a directory above its last part is not there. */
export function findPath(path: string, untrusted: readonly string[]): PathTarget {
  const walk = new PathWalk(fromText(path), untrusted.map(realOrSame));
  try {
    return walk.run();
  } catch (error) {
    walk.close();
    throw fsError(`open ${printable(fromText(path))}`, error);
  }
}

function realOrSame(path: string): ByteName {
  try {
    return realpathSync(path, { encoding: 'latin1' });
  } catch {
    // Not there, so nothing can lie below it.
    return fromText(path);
  }
}

class PathWalk {
  readonly #untrusted: readonly ByteName[];
  readonly #todo: ByteName[];
  #current: Directory;
  #links = 0;

  constructor(path: ByteName, untrusted: readonly ByteName[]) {
    this.#untrusted = untrusted;
    this.#todo = reversed(path);
    this.#current = rootDirectory();
  }

  run(): PathTarget {
    for (let name = this.#todo.pop(); name !== undefined; name = this.#todo.pop()) {
      const found = this.#step(name);
      if (found !== null) return found;
    }
    return { kind: 'directory', directory: this.#current };
  }

  close(): void {
    closeDirectory(this.#current);
  }

  #step(name: ByteName): PathTarget | null {
    try {
      this.#move(openChild(this.#current, name));
      return null;
    } catch (error) {
      const errno = errnoOf(error);
      const last = this.#todo.length === 0;
      if (errno === 'ENOENT' && last) return { kind: 'missing', directory: this.#current, name };
      if (errno !== 'ENOTDIR' && errno !== 'ELOOP') throw error;
      const target = linkTarget(at(this.#current, name));
      if (target !== null) return this.#follow(name, target);
      if (last) return { kind: 'other', directory: this.#current, name };
      throw error;
    }
  }

  #follow(name: ByteName, target: ByteName): null {
    if (this.#isUntrusted()) throw plantedLinkError(name);
    if (++this.#links > maxLinks) throw new CaissonError('failed_precondition', 'too many links in the path');
    if (target.startsWith('/')) this.#move(rootDirectory());
    this.#todo.push(...reversed(target));
    return null;
  }

  #move(to: Directory): void {
    closeDirectory(this.#current);
    this.#current = to;
  }

  #isUntrusted(): boolean {
    const here = realPath(this.#current);
    return this.#untrusted.some((root) => here === root || here.startsWith(root === '/' ? root : `${root}/`));
  }
}

function plantedLinkError(name: ByteName): CaissonError {
  return new CaissonError(
    'permission_denied',
    `"${printable(name)}" is a link in a directory that a sandbox can write`,
    {
      remedy: 'name the place it leads to, if it is meant; the link may have been planted',
    },
  );
}

const reversed = (path: ByteName): ByteName[] =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .reverse();

function linkTarget(path: Buffer): ByteName | null {
  try {
    return readlinkSync(path, { encoding: 'latin1' });
  } catch (error) {
    if (errnoOf(error) === 'EINVAL') return null;
    throw error;
  }
}
