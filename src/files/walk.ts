/** Lists a host tree before it is packed: what goes, what is left out, how much it is. Never follows a link. */
import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import type { Cancelable } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { yieldOften } from './yield-often.ts';
import { type ByteName, printable, toBytes } from './byte-name.ts';
import { DirectoryChain } from './directory-chain.ts';
import { at, type Directory } from './directory.ts';
import { staysInside } from './entry-name.ts';
import { fsError } from './fs-error.ts';
import { deepest } from './limits.ts';
import { SkippedList } from './skipped.ts';
import { isStaging } from './staging.ts';

export interface WalkedEntry {
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly segments: readonly ByteName[];
  /** Bytes of a file, as far as they were asked for. */
  readonly size: number;
  readonly link: ByteName;
}

export interface Walked {
  /** Directories before what is in them, in the order of names, without the root itself. */
  readonly entries: readonly WalkedEntry[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Paths of what is left out, all of them. */
  readonly leftOut: readonly ByteName[];
}

/** `sizes`: whether anybody wants to know them now. To look at each file costs as much as to open it. */
export interface WalkOptions extends Cancelable {
  readonly sizes?: boolean;
}

export async function walk(root: Directory, { signal, sizes = false }: WalkOptions = {}): Promise<Walked> {
  const listing = new Listing(root, sizes);
  const yieldNow = yieldOften(signal);
  try {
    for (let next = listing.next(); next !== null; next = listing.next()) {
      listing.visit(next);
      await yieldNow();
    }
    return listing.result();
  } finally {
    listing.close();
  }
}

interface TreeEntry {
  readonly segments: readonly ByteName[];
  readonly type: Dirent<Buffer>;
}

class Listing {
  readonly #chain: DirectoryChain;
  readonly #sizes: boolean;
  readonly #entries: WalkedEntry[] = [];
  readonly #skipped = new SkippedList();
  readonly #leftOut: ByteName[] = [];
  /** What is still to be visited, the next one last. */
  readonly #todo: TreeEntry[] = [];

  constructor(root: Directory, sizes: boolean) {
    this.#chain = new DirectoryChain(root);
    this.#sizes = sizes;
    this.#push([]);
  }

  next(): TreeEntry | null {
    return this.#todo.pop() ?? null;
  }

  visit(found: TreeEntry): void {
    try {
      this.#add(found);
    } catch (error) {
      throw fsError(`read ${printable(found.segments.join('/'))}`, error);
    }
  }

  result(): Walked {
    return { entries: this.#entries, skipped: this.#skipped.list(), leftOut: this.#leftOut };
  }

  close(): void {
    this.#chain.close();
  }

  #add({ segments, type }: TreeEntry): void {
    if (type.isDirectory() && isStaging(segments.at(-1) ?? '')) {
      this.#leaveOut(segments, 'what a copy has not put in place');
    } else if (type.isDirectory()) {
      this.#entries.push({ kind: 'directory', segments, size: 0, link: '' });
      this.#push(segments);
    } else if (type.isFile()) {
      const size = this.#sizes ? lstatSync(this.#where(segments)).size : 0;
      this.#entries.push({ kind: 'file', segments, size, link: '' });
    } else if (type.isSymbolicLink()) {
      this.#addLink(segments, readlinkSync(this.#where(segments), { encoding: 'latin1' }));
    } else {
      this.#leaveOut(segments, kindName(type));
    }
  }

  #where(segments: readonly ByteName[]): Buffer {
    return at(this.#chain.parentOf(segments), segments.at(-1) ?? '');
  }

  #addLink(segments: readonly ByteName[], link: ByteName): void {
    if (staysInside(segments, link)) this.#entries.push({ kind: 'symlink', segments, size: 0, link });
    else this.#leaveOut(segments, `link to ${printable(link)}, outside the tree`);
  }

  #leaveOut(segments: readonly ByteName[], why: string): void {
    this.#skipped.add(segments, why);
    this.#leftOut.push(segments.join('/'));
  }

  #push(segments: readonly ByteName[]): void {
    if (segments.length - 1 > deepest) throw treeTooDeepError(segments);
    const directory = this.#chain.parentOf([...segments, '']);
    // Names as bytes: with any other encoding Node fails where the file system does not tell the type with the name.
    const types = new Map(
      readdirSync(toBytes(directory.prefix), { encoding: 'buffer', withFileTypes: true }).map((type) => [
        type.name.toString('latin1'),
        type,
      ]),
    );
    for (const name of [...types.keys()].sort().reverse()) {
      const type = types.get(name);
      if (type !== undefined) this.#todo.push({ segments: [...segments, name], type });
    }
  }
}

function treeTooDeepError(segments: readonly ByteName[]): CaissonError {
  return new CaissonError(
    'invalid_argument',
    `the tree is deeper than ${deepest} directories at ${printable(segments.join('/'))}`,
    {
      remedy: 'copy its lower parts one by one',
    },
  );
}

function kindName(type: Dirent<Buffer>): string {
  if (type.isSocket()) return 'socket';
  if (type.isFIFO()) return 'named pipe';
  return 'device';
}
