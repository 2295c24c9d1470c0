/**
 * Reads an uncompressed tar as it arrives. Hostile input is the normal case, so this is our own and not tar-stream:
 * that one decodes names to text (invalid UTF-8 is lost), buffers up to 4 MiB for each name header, disregards the size
 * of directories, and takes a stream that just stops between two entries for a complete one. Here memory is one block
 * and one bounded name, whatever comes, and everything that honest tars do not write is refused.
 */
import { CaissonError } from '../errors.ts';
import type { ByteName } from './byte-name.ts';
import { type PaxOverrides, readPax } from './pax.ts';
import { archiveRefusedError } from './refusal.ts';
import { blockBytes, decodeHeader, type HeaderFields } from './tar-header.ts';

export type EntryKind = 'file' | 'directory' | 'symlink' | 'hardlink' | 'device' | 'fifo';

export interface TarEntry {
  readonly kind: EntryKind;
  readonly name: ByteName;
  readonly link: ByteName;
  readonly mode: number;
  /** Zero for everything but files. */
  readonly size: number;
}

/** A file is `entry`, as many `data` as needed, `end`. Everything else is one `entry`. */
export type TarEvent =
  | { readonly type: 'entry'; readonly entry: TarEntry }
  | { readonly type: 'data'; readonly bytes: Buffer }
  | { readonly type: 'end' };

const kinds: Readonly<Record<string, EntryKind>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '3': 'device',
  '4': 'device',
  '5': 'directory',
  '6': 'fifo',
};
const extensions = new Set(['x', 'L', 'K']);
/** Room for one pax header: two names of full length and some records we do not read. */
const maxPaxBytes = 32 * 1024;
/** Zeros that tars add to fill a record; 10 KiB is the rule, 1 MiB the most anybody uses. */
const maxTrailerBytes = 2 * 1024 * 1024;

export class TarReader {
  readonly #pathBytes: number;
  readonly #extensionTypes: ReadonlySet<string>;
  #partial: Buffer = Buffer.alloc(0);
  /** Bytes of the current file or extension still to come, and of the zeros that fill its last block. */
  #left = 0;
  #padding = 0;
  #extension: { readonly type: string; readonly size: number; readonly parts: Buffer[] } | null = null;
  #overrides: PaxOverrides = {};
  #extensions = 0;
  #zeroBlocks = 0;
  #trailerBytes = 0;
  #first = true;

  /** `global`: a pax header for all entries is passed by where it changes none, as `git archive` writes one. */
  constructor(pathBytes: number, { global = false }: { readonly global?: boolean } = {}) {
    this.#pathBytes = pathBytes;
    this.#extensionTypes = global ? new Set([...extensions, 'g']) : extensions;
  }

  /** Both blocks of the end have been read: nothing that follows matters. */
  get ended(): boolean {
    return this.#zeroBlocks === 2;
  }

  *write(chunk: Buffer): Generator<TarEvent, void, undefined> {
    let at = 0;
    while (at < chunk.length) {
      if (this.ended) return this.#skipTrailer(chunk.length - at);
      if (this.#left > 0) {
        const bytes = chunk.subarray(at, at + this.#left);
        at += bytes.length;
        this.#left -= bytes.length;
        yield* this.#body(bytes);
      } else if (this.#padding > 0) {
        const skipped = Math.min(this.#padding, chunk.length - at);
        at += skipped;
        this.#padding -= skipped;
      } else {
        const taken = Math.min(blockBytes - this.#partial.length, chunk.length - at);
        yield* this.#header(chunk.subarray(at, at + taken));
        at += taken;
      }
    }
  }

  /** To be called when the stream is over. */
  finish(): void {
    if (this.ended) return;
    if (this.#first) this.#sniff(this.#partial);
    throw new CaissonError('unavailable', 'the copy from the sandbox ended before the archive did', {
      remedy: 'try again; nothing was written',
    });
  }

  *#body(bytes: Buffer): Generator<TarEvent, void, undefined> {
    if (this.#extension !== null) {
      this.#extension.parts.push(bytes);
      if (this.#left === 0) this.#endExtension();
      return;
    }
    yield { type: 'data', bytes };
    if (this.#left === 0) yield { type: 'end' };
  }

  *#header(bytes: Buffer): Generator<TarEvent, void, undefined> {
    const block = this.#partial.length === 0 ? bytes : Buffer.concat([this.#partial, bytes]);
    if (block.length < blockBytes) {
      // A copy: the chunk would otherwise stay in memory for a few bytes.
      this.#partial = Buffer.from(block);
      return;
    }
    this.#partial = Buffer.alloc(0);
    if (isZero(block)) return this.#zero();
    yield* this.#block(block);
  }

  #zero(): void {
    if (this.#extensions > 0) throw archiveRefusedError('header', 'a name without an entry');
    this.#zeroBlocks++;
  }

  *#block(block: Buffer): Generator<TarEvent, void, undefined> {
    const fields = decodeHeader(block);
    if (fields === null) {
      if (this.#first) this.#sniff(block);
      throw archiveRefusedError('header', 'it is damaged');
    }
    if (this.#zeroBlocks > 0) throw archiveRefusedError('header', 'entries after an end mark');
    this.#first = false;
    if (this.#extensionTypes.has(fields.type)) this.#startExtension(fields);
    else yield* this.#startEntry(this.#toEntry(fields));
  }

  *#startEntry(entry: TarEntry): Generator<TarEvent, void, undefined> {
    this.#expect(entry.size);
    yield { type: 'entry', entry };
    if (entry.kind === 'file' && entry.size === 0) yield { type: 'end' };
  }

  #expect(size: number): void {
    this.#left = size;
    this.#padding = (blockBytes - (size % blockBytes)) % blockBytes;
  }

  #toEntry(fields: HeaderFields): TarEntry {
    const { name = fields.name, link = fields.link, size = fields.size } = this.#overrides;
    this.#overrides = {};
    this.#extensions = 0;
    const kind = kindOf(fields, name);
    if (!Number.isSafeInteger(size) || size < 0)
      throw archiveRefusedError('size', 'its size is not a number that can be', name);
    if (kind !== 'file' && size !== 0) throw archiveRefusedError('size', 'an entry with content must be a file', name);
    return { kind, name, link, mode: fields.mode, size };
  }

  #startExtension({ type, size }: HeaderFields): void {
    const max = type === 'x' || type === 'g' ? maxPaxBytes : this.#pathBytes + 1;
    if (!(size > 0 && size <= max)) throw archiveRefusedError('extension', `a name header of ${size} bytes`);
    // One of each kind at most, also when they say nothing: a stream of them would never end.
    if (++this.#extensions > this.#extensionTypes.size)
      throw archiveRefusedError('extension', 'too many name headers for one entry');
    this.#extension = { type, size, parts: [] };
    this.#expect(size);
  }

  #endExtension(): void {
    const extension = this.#extension;
    this.#extension = null;
    if (extension === null) return;
    const body = Buffer.concat(extension.parts);
    const isPax = extension.type === 'x' || extension.type === 'g';
    const read: PaxOverrides = isPax ? readPax(body) : { [extension.type === 'L' ? 'name' : 'link']: longName(body) };
    if (extension.type === 'g' && Object.keys(read).length > 0)
      throw archiveRefusedError('extension', 'a pax header gives all entries one name, link or size');
    for (const key of Object.keys(read)) {
      if (key in this.#overrides) throw archiveRefusedError('extension', `two headers give one entry its ${key}`);
    }
    this.#overrides = { ...this.#overrides, ...read };
  }

  #skipTrailer(bytes: number): void {
    this.#trailerBytes += bytes;
    if (this.#trailerBytes > maxTrailerBytes) throw archiveRefusedError('trailer', 'it goes on after its end');
  }

  #sniff(block: Buffer): void {
    const magic = block.toString('latin1', 0, 6);
    if (/^(\x1f\x8b|\x1f\x9d|\xfd7zXZ|BZh|\x28\xb5\x2f\xfd|\x04\x22\x4d\x18|PK\x03\x04|LZIP|7z\xbc)/.test(magic)) {
      throw archiveRefusedError('compressed', 'it is compressed, which is not accepted');
    }
  }
}

function kindOf(fields: HeaderFields, name: ByteName): EntryKind {
  if (fields.type === 'S') throw archiveRefusedError('sparse', 'sparse files are not accepted', name);
  const kind = kinds[fields.type];
  if (kind === undefined)
    throw archiveRefusedError('unknown-type', `its type ${JSON.stringify(fields.type)} is not known`, name);
  // Before POSIX a directory was a file whose name ends in a slash.
  return kind === 'file' && fields.type === '\0' && name.endsWith('/') ? 'directory' : kind;
}

function longName(body: Buffer): ByteName {
  const end = body.at(-1) === 0 ? body.length - 1 : body.length;
  return body.toString('latin1', 0, end);
}

function isZero(block: Buffer): boolean {
  return block[0] === 0 && block.every((byte) => byte === 0);
}
