/** Lists a host tree before it is packed: what goes, what is left out, how much it is. Never follows a link. */
import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { CaissonError } from '../errors.ts';
import { breather } from './breather.ts';
import { type ByteName, printable, toBytes } from './byte-name.ts';
import { DirectoryChain } from './directory-chain.ts';
import { at, type Directory } from './directory.ts';
import { staysInside } from './entry-name.ts';
import { fsError } from './fs-error.ts';
import { deepest } from './limits.ts';
import { SkippedList } from './skipped.ts';

export interface WalkedEntry {
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly segments: readonly ByteName[];
  /** Permission bits alone. */
  readonly mode: number;
  readonly size: number;
  /** Seconds since the epoch. */
  readonly mtime: number;
  readonly link: ByteName;
}

export interface Walked {
  /** Directories before what is in them, in the order of names, without the root itself. */
  readonly entries: readonly WalkedEntry[];
  readonly bytes: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

export async function walk(root: Directory, signal?: AbortSignal): Promise<Walked> {
  const listing = new Listing(root);
  const breathe = breather(signal);
  try {
    for (let next = listing.next(); next !== null; next = listing.next()) {
      listing.visit(next);
      await breathe();
    }
    return listing.result();
  } finally {
    listing.close();
  }
}

class Listing {
  readonly #chain: DirectoryChain;
  readonly #entries: WalkedEntry[] = [];
  readonly #skipped = new SkippedList();
  /** What is still to be visited, the next one last. */
  readonly #todo: (readonly ByteName[])[] = [];
  #bytes = 0;

  constructor(root: Directory) {
    this.#chain = new DirectoryChain(root);
    this.#push([]);
  }

  next(): readonly ByteName[] | null {
    return this.#todo.pop() ?? null;
  }

  visit(segments: readonly ByteName[]): void {
    const path = printable(segments.join('/'));
    try {
      const parent = this.#chain.parentOf(segments);
      const where = at(parent, segments.at(-1) ?? '');
      this.#add(segments, lstatSync(where), where);
    } catch (error) {
      throw fsError(`read ${path}`, error);
    }
  }

  result(): Walked {
    return { entries: this.#entries, bytes: this.#bytes, skipped: this.#skipped.list() };
  }

  close(): void {
    this.#chain.close();
  }

  #add(segments: readonly ByteName[], stats: Stats, where: Buffer): void {
    const entry = { segments, mode: stats.mode & 0o777, mtime: stats.mtimeMs / 1000, size: 0, link: '' };
    if (stats.isDirectory()) {
      this.#entries.push({ ...entry, kind: 'directory' });
      this.#push(segments);
    } else if (stats.isFile()) {
      this.#entries.push({ ...entry, kind: 'file', size: stats.size });
      this.#bytes += stats.size;
    } else if (stats.isSymbolicLink()) {
      this.#addLink({ ...entry, kind: 'symlink', link: readlinkSync(where, { encoding: 'latin1' }) });
    } else {
      this.#skipped.add(segments, kindName(stats));
    }
  }

  #addLink(entry: WalkedEntry): void {
    if (staysInside(entry.segments, entry.link)) this.#entries.push(entry);
    else this.#skipped.add(entry.segments, `link to ${printable(entry.link)}, outside the tree`);
  }

  #push(segments: readonly ByteName[]): void {
    if (segments.length - 1 > deepest) throw tooDeep(segments);
    const directory = this.#chain.parentOf([...segments, '']);
    const names = readdirSync(toBytes(directory.prefix), { encoding: 'latin1' }).sort();
    for (let i = names.length - 1; i >= 0; i--) this.#todo.push([...segments, names[i] ?? '']);
  }
}

function tooDeep(segments: readonly ByteName[]): CaissonError {
  return new CaissonError(
    'invalid_argument',
    `the tree is deeper than ${deepest} directories at ${printable(segments.join('/'))}`,
    {
      remedy: 'copy its lower parts one by one',
    },
  );
}

function kindName(stats: Stats): string {
  if (stats.isSocket()) return 'socket';
  if (stats.isFIFO()) return 'named pipe';
  return 'device';
}
