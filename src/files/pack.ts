/**
 * Packs files of the host into an uncompressed tar.
 *
 * Small files are read synchronously, straight into the outgoing chunk, which is as fast as a spawned tar and needs none
 * on the host; large ones asynchronously. Each file is opened through the open directory that holds it and never through
 * a link, so that somebody who changes the tree meanwhile cannot make us read outside of it.
 */
import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats, statSync } from 'node:fs';
import { CaissonError } from '../errors.ts';
import { ArchiveChunks } from './archive-chunks.ts';
import { type ByteName, printable, toBytes } from './byte-name.ts';
import { DirectoryChain } from './directory-chain.ts';
import { at, type Directory } from './directory.ts';
import { fsError } from './fs-error.ts';
import type { HeaderFields } from './tar-header.ts';
import type { WalkedEntry } from './walk.ts';

const smallBytes = 256 * 1024;
/** O_NONBLOCK: a file that has become a named pipe must not hold us. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Name of the file or tree in the archive, and of the empty file that comes last and proves that nothing is missing. */
export const payloadName = 'payload';
export const endName = 'end';

/** Called for each file of a tree with what went into the archive of it. */
export type OnFile = (path: ByteName, sha256: string) => void;

export interface PackInput {
  readonly root: Directory;
  readonly entries: readonly WalkedEntry[];
  /** Called for each piece of content that went into the archive. */
  readonly onBytes: (bytes: number) => void;
  readonly onFile?: OnFile | undefined;
  readonly form?: ArchiveForm;
}

/** How the root is called, and whether the empty last file is there by which a script of Caisson sees that all has come. */
export interface ArchiveForm {
  readonly root: ByteName;
  readonly marked: boolean;
}

const transferForm: ArchiveForm = { root: payloadName, marked: true };

type Chunks = AsyncGenerator<Buffer, void, undefined>;

export interface OpenFile {
  readonly fd: number;
  readonly stats: Stats;
}

export function openFile(directory: Directory, name: string): OpenFile {
  const fd = openSync(at(directory, name), openFlags);
  const stats = fstatSync(fd);
  if (stats.isFile()) return { fd, stats };
  closeSync(fd);
  throw new CaissonError('invalid_argument', `${printable(name)} is not a regular file`);
}

/** A whole tree. A chunk may be used again some chunks later (see `ArchiveChunks`). */
export async function* packTree({ root, entries, onBytes, onFile, form = transferForm }: PackInput): Chunks {
  const chain = new DirectoryChain(root);
  const archive = new ArchiveChunks(onBytes);
  try {
    archive.header(headerOf(form, rootEntry, statSync(toBytes(root.prefix))));
    for (const entry of entries) {
      const large = packSmall({ archive, chain, onFile, form }, entry);
      for (let full = archive.full(); full !== null; full = archive.full()) yield full;
      if (large !== null) yield* packLarge({ archive, onFile }, large, entry);
    }
    yield* endArchive(archive, form);
  } finally {
    chain.close();
  }
}

/** One file that is open already: it stays the file that the caller has looked at. */
export async function* packFile(
  { fd, stats }: OpenFile,
  { onBytes, form = transferForm }: Pick<PackInput, 'onBytes' | 'form'>,
): Chunks {
  const { mode, mtimeMs, size } = stats;
  const archive = new ArchiveChunks(onBytes);
  archive.header({ name: form.root, type: '0', mode: mode & 0o777, size, mtime: mtimeMs / 1000, link: '' });
  yield* archive.large(fd, size);
  yield* endArchive(archive, form);
}

interface Packing {
  readonly archive: ArchiveChunks;
  readonly chain: DirectoryChain;
  readonly onFile: OnFile | undefined;
  readonly form: ArchiveForm;
}

/** Everything but the content of a large file, which is given back open. Not a generator: that would cost more than a file. */
function packSmall(packing: Packing, entry: WalkedEntry): OpenFile | null {
  const { archive, chain, form } = packing;
  try {
    if (entry.kind === 'file') return packContent(packing, entry);
    archive.header(headerOf(form, entry, statsOf(chain, entry)));
    return null;
  } catch (error) {
    throw unreadable(entry, error);
  }
}

function packContent({ archive, chain, onFile, form }: Packing, entry: WalkedEntry): OpenFile | null {
  const file = openFile(chain.parentOf(entry.segments), entry.segments.at(-1) ?? '');
  const { fd, stats } = file;
  archive.header(headerOf(form, entry, stats));
  if (stats.size > smallBytes) return file;
  try {
    const content = archive.small(fd, stats.size);
    onFile?.(entry.segments.join('/'), hash('sha256', content));
    return null;
  } finally {
    closeSync(fd);
  }
}

async function* packLarge(
  { archive, onFile }: Pick<Packing, 'archive' | 'onFile'>,
  { fd, stats }: OpenFile,
  entry: WalkedEntry,
): Chunks {
  const digest = onFile === undefined ? undefined : createHash('sha256');
  try {
    yield* archive.large(fd, stats.size, digest);
    if (digest !== undefined) onFile?.(entry.segments.join('/'), digest.digest('hex'));
  } catch (error) {
    throw unreadable(entry, error);
  } finally {
    closeSync(fd);
  }
}

const unreadable = ({ segments }: WalkedEntry, error: unknown): unknown =>
  fsError(`read ${printable(segments.join('/'))}`, error);

/** It may have become something else since it was listed. */
function statsOf(chain: DirectoryChain, { kind, segments }: WalkedEntry): Stats {
  const stats = lstatSync(at(chain.parentOf(segments), segments.at(-1) ?? ''));
  if (kind === 'directory' ? stats.isDirectory() : stats.isSymbolicLink()) return stats;
  throw new CaissonError('failed_precondition', 'it changed while the tree was read', {
    remedy: 'copy again when nothing writes to the source',
  });
}

function* endArchive(archive: ArchiveChunks, { marked }: ArchiveForm): Generator<Buffer, void, undefined> {
  if (marked) archive.header({ name: endName, type: '0', mode: 0o600, size: 0, mtime: 0, link: '' });
  archive.end();
  for (let full = archive.full(); full !== null; full = archive.full()) yield full;
}

const rootEntry: WalkedEntry = { kind: 'directory', segments: [], size: 0, link: '' };

function headerOf({ root }: ArchiveForm, { kind, segments, link }: WalkedEntry, stats: Stats): HeaderFields {
  const type = { file: '0', directory: '5', symlink: '2' }[kind];
  const name = [root, ...segments].join('/') + (kind === 'directory' ? '/' : '');
  // Without these bits a tar that is not root could not fill the directory.
  const mode = (stats.mode & 0o777) | (kind === 'directory' ? 0o700 : 0);
  return { name, type, mode, size: kind === 'file' ? stats.size : 0, mtime: stats.mtimeMs / 1000, link };
}
