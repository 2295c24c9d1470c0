/**
 * Writes the entries of a hostile archive into a staging directory: regular files and directories, nothing else.
 *
 * Every name is checked by its parts and reached through open directories, every directory must have been announced
 * before something lies in it, every file is created new (O_EXCL, O_NOFOLLOW). No link exists while anything is written;
 * links that are wanted and lead inside come last. Owner is the service; modes are 0644 or 0755 less the umask; times are
 * those of the copy, so that an old date cannot hide a new file from make or a backup; extended attributes are dropped.
 */
import { constants, lstatSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { type ByteName, printable, toBytes, toText } from './byte-name.ts';
import { DirectoryChain } from './directory-chain.ts';
import { at, type Directory } from './directory.ts';
import { checkName, staysInside } from './entry-name.ts';
import { errnoOf, fsError } from './fs-error.ts';
import { FileWriter, Portion } from './file-writer.ts';
import type { CopyLimits } from './limits.ts';
import { payloadName } from './pack.ts';
import { archiveRefusedError, type Rule } from './refusal.ts';
import { SkippedList } from './skipped.ts';
import type { TarEntry, TarEvent } from './tar-reader.ts';
import type { CopyResult, Vet } from './types.ts';

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Bytes of names and targets of links, which are made at the end. */
const maxLinkBytes = 16 * 1024 * 1024;

export interface ExtractOptions {
  readonly limits: CopyLimits;
  readonly symlinks: 'skip' | 'inside';
  /**
   * An archive that a client made: its root, and directories above an entry, may be left out or come twice, as many
   * programs write them. What is neither file, directory nor link inside is refused, not skipped.
   */
  readonly isUpload?: boolean;
  /** A directory below the root that is left out with all that lies in it. */
  readonly withheld?: readonly ByteName[] | null;
  readonly vet?: Vet | undefined;
  readonly onBytes: (bytes: number) => void;
}

export interface Extracted {
  /** It lies in the staging directory as `payload`. */
  readonly root: 'file' | 'directory';
  readonly result: CopyResult;
}

export class Extraction {
  readonly #options: ExtractOptions;
  readonly #chain: DirectoryChain;
  readonly #skipped = new SkippedList();
  readonly #links: { readonly segments: readonly ByteName[]; readonly link: ByteName }[] = [];
  #linkBytes = 0;
  #root: 'file' | 'directory' | null = null;
  #portion: Portion | null = null;
  #file: FileWriter | null = null;
  #entries = 0;
  #files = 0;
  #directories = 0;
  #bytes = 0;
  /** The content that comes is that of an entry which is left out. */
  #dropping = false;

  constructor(staging: Directory, options: ExtractOptions) {
    this.#options = options;
    this.#chain = new DirectoryChain(staging);
    if (options.isUpload !== true) return;
    this.#root = 'directory';
    this.#directory([payloadName]);
  }

  /** Await what is not `undefined` before the next event. */
  take(event: TarEvent): Promise<void> | undefined {
    if (event.type === 'entry') return this.#entry(event.entry);
    return event.type === 'data' ? this.#data(event.bytes) : this.#endFile();
  }

  /** To be called when the whole archive has been taken and the tar in the sandbox has ended well. */
  finish(): Extracted {
    if (this.#root === null) throw archiveRefusedError('not-a-file', 'it is empty');
    for (const { segments, link } of this.#links) {
      this.#write(segments, (where) => symlinkSync(toBytes(link), where));
    }
    const result = {
      files: this.#files,
      directories: this.#directories,
      bytes: this.#bytes,
      skipped: this.#skipped.list(),
    };
    return { root: this.#root, result };
  }

  /** Closes what is open, also in the middle. */
  close(): void {
    this.#chain.close();
    this.#file?.close();
    this.#file = null;
  }

  #entry(entry: TarEntry): undefined {
    this.#count();
    const segments = this.#place(entry);
    this.#dropping = this.#isWithheld(segments.slice(1));
    if (this.#dropping) return;
    this.#options.vet?.(segments.slice(1).map(toText));
    if (this.#options.isUpload === true) this.#makeAbove(segments);
    if (entry.kind === 'file') this.#openFile(entry, segments);
    else if (entry.kind === 'directory') this.#directory(segments);
    else if (entry.kind === 'hardlink')
      throw archiveRefusedError('hard-link', 'hard links are not accepted', entry.name);
    else if (entry.kind === 'symlink') this.#symlink(entry, segments);
    else this.#skip(entry, segments, { rule: 'special', reason: entry.kind === 'fifo' ? 'named pipe' : 'device' });
  }

  #skip(
    { name }: TarEntry,
    segments: readonly ByteName[],
    { rule, reason }: { readonly rule: Rule; readonly reason: string },
  ): void {
    if (this.#options.isUpload === true) throw archiveRefusedError(rule, `it is a ${reason}`, name);
    this.#skipped.add(segments.slice(1), reason);
  }

  #isWithheld(inTree: readonly ByteName[]): boolean {
    const { withheld } = this.#options;
    if (withheld === undefined || withheld === null || !withheld.every((name, at) => inTree[at] === name)) return false;
    if (inTree.length === withheld.length) this.#skipped.add(inTree, 'credential files');
    return true;
  }

  /** Path of the entry in the staging directory. The first entry is the root: `.` for a tree, any name for a file. */
  #place(entry: TarEntry): readonly ByteName[] {
    const check = checkName(entry.name, this.#options.limits);
    if (!check.ok) throw archiveRefusedError(check.rule, check.why, entry.name);
    if (this.#root === null) return this.#placeRoot(entry, check.segments);
    if (check.segments.length === 0 && this.#options.isUpload === true && entry.kind === 'directory')
      return [payloadName];
    if (this.#root === 'file' || check.segments.length === 0)
      throw archiveRefusedError('second-root', 'it comes after the only one there may be', entry.name);
    if (entry.kind !== 'directory' && entry.name.endsWith('/'))
      throw archiveRefusedError('dot', 'its name ends in a slash', entry.name);
    return [payloadName, ...check.segments];
  }

  #placeRoot(entry: TarEntry, segments: readonly ByteName[]): readonly ByteName[] {
    if (entry.kind === 'hardlink') throw archiveRefusedError('hard-link', 'hard links are not accepted', entry.name);
    if (entry.kind !== 'file' && entry.kind !== 'directory')
      throw archiveRefusedError('not-a-file', 'it is neither a regular file nor a directory', entry.name);
    if (segments.length !== (entry.kind === 'file' ? 1 : 0))
      throw archiveRefusedError('no-parent', 'it lies in a directory that was not sent', entry.name);
    this.#root = entry.kind;
    return [payloadName];
  }

  #directory(segments: readonly ByteName[]): void {
    if (this.#options.isUpload === true && this.#isDirectory(segments)) return;
    this.#write(segments, (where) => mkdirSync(where, 0o755));
    this.#directories++;
  }

  #isDirectory(segments: readonly ByteName[]): boolean {
    return this.#write(segments, (where) => lstatSync(where, { throwIfNoEntry: false })?.isDirectory() === true);
  }

  /** Directories that an upload has not announced. Each counts as an entry, so that long names do not make more of them. */
  #makeAbove(segments: readonly ByteName[]): void {
    for (let depth = 2; depth < segments.length; depth++) {
      const above = segments.slice(0, depth);
      if (this.#isDirectory(above)) continue;
      this.#count();
      this.#directory(above);
    }
  }

  #count(): void {
    const { entries } = this.#options.limits;
    if (++this.#entries > entries)
      throw archiveRefusedError('too-many-entries', `it holds more than ${entries} entries`);
  }

  #openFile(entry: TarEntry, segments: readonly ByteName[]): void {
    const { bytes } = this.#options.limits;
    if (entry.size > bytes - this.#bytes)
      throw archiveRefusedError('too-many-bytes', `with it the copy is larger than ${bytes} bytes`, entry.name);
    this.#bytes += entry.size;
    this.#files++;
    const mode = (entry.mode & 0o111) === 0 ? 0o644 : 0o755;
    const fd = this.#write(segments, (where) => openSync(where, createFlags, mode));
    this.#file = new FileWriter({ fd, name: entry.name, size: entry.size }, () => (this.#portion ??= new Portion()));
  }

  #symlink(entry: TarEntry, segments: readonly ByteName[]): void {
    const { name, link } = entry;
    const inTree = segments.slice(1);
    if (this.#options.symlinks === 'skip') {
      this.#skipped.add(inTree, 'link');
    } else if (link.length > this.#options.limits.pathBytes || !staysInside(inTree, link)) {
      const reason = `link to ${printable(link)}, outside the tree`;
      this.#skip(entry, segments, { rule: 'link-outside', reason });
    } else {
      this.#linkBytes += name.length + link.length;
      if (this.#linkBytes > maxLinkBytes) throw archiveRefusedError('too-many-links', 'it holds too many links', name);
      this.#links.push({ segments, link });
    }
  }

  #data(bytes: Buffer): Promise<void> | undefined {
    if (this.#dropping) return;
    if (this.#file === null) throw archiveRefusedError('header', 'content without an entry');
    this.#options.onBytes(bytes.length);
    return this.#file.write(bytes);
  }

  #endFile(): Promise<void> | undefined {
    const file = this.#file;
    this.#file = null;
    return file?.end();
  }

  #write<T>(segments: readonly ByteName[], make: (where: Buffer) => T): T {
    const shown = segments.slice(1).join('/');
    try {
      return make(at(this.#chain.parentOf(segments), segments.at(-1) ?? ''));
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'EEXIST') throw archiveRefusedError('twice', 'it comes twice', shown);
      if (errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'ELOOP') {
        throw archiveRefusedError('no-parent', 'it lies in something that was not sent as a directory', shown);
      }
      throw fsError(`write ${printable(shown)}`, error);
    }
  }
}
