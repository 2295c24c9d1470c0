/** The end of the chain on disk, and lines added to it. Everything here is called under the lock. */
import { hash } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, type Stats, renameSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  currentName,
  endOf,
  fileNames,
  headName,
  lastRecord,
  nameOfFull,
  openHead,
  openToAppend,
  readHead,
  writeHead,
} from './files.ts';
import { beginning, encode, type Link } from './line.ts';
import type { Json } from './types.ts';

export type Fields = Readonly<Record<string, Json>>;

interface FileState {
  readonly inode: number;
  readonly size: number;
  readonly link: Link;
}

export interface ChainLimits {
  /** A file of this size is full. */
  readonly fileBytes: number;
  /** Bytes of all files together. `null`: no limit. */
  readonly storeBytes: number | null;
}

const headRemoved = 'removed\n';

export class Chain {
  readonly #directory: string;
  readonly #limits: ChainLimits;
  readonly #head: number;
  #fd: number;
  #inode: number;
  /** After our last line. When the file is still so, no other process has written. */
  #seen: FileState | null = null;

  constructor(directory: string, limits: ChainLimits) {
    this.#directory = directory;
    this.#limits = limits;
    const isThere = statSync(join(directory, headName), { throwIfNoEntry: false }) !== undefined;
    this.#head = openHead(directory);
    this.#fd = openToAppend(directory);
    // Looking must not hide it: until the next record, the new head says that the old one was removed.
    if (!isThere && fstatSync(this.#fd).size > 0) writeSync(this.#head, headRemoved, 0);
    this.#inode = fstatSync(this.#fd).ino;
  }

  append(entries: readonly Fields[]): void {
    const { ino, size } = this.#current();
    const { link, prefix, first } = this.#continue(ino, size);
    const removed = this.#seen === null && this.#isHeadGone(link) ? [{ at: now(), type: 'head-removed' }] : [];
    const { text, last } = encodeAll([...first, ...removed, ...entries], link);
    this.#seen = null; // until all of it is written, the end is not known
    const written = Buffer.from(prefix + text);
    writeAll(this.#fd, written, size);
    writeHead(this.#head, last);
    this.#seen = { inode: ino, size: size + written.length, link: last };
    if (this.#seen.size >= this.#limits.fileBytes) this.#rotate(last);
  }

  /** A crash leaves a head without a word behind the first record alone. */
  #isHeadGone({ seq }: Link): boolean {
    const isEmpty = fstatSync(this.#head).size === 0;
    return readHead(this.#head) === null && seq > (isEmpty ? 1 : 0);
  }

  close(): void {
    closeSync(this.#fd);
    closeSync(this.#head);
  }

  /** The file to write to, opened anew when another process has renamed ours. */
  #current(): Stats {
    const named = statSync(join(this.#directory, currentName), { throwIfNoEntry: false });
    if (named?.ino === this.#inode) return named;
    const fd = openToAppend(this.#directory);
    closeSync(this.#fd);
    this.#fd = fd;
    const found = fstatSync(fd);
    this.#inode = found.ino;
    return found;
  }

  /** Finds the point to go on from: after the last line of this process, or after what others or a crash have left. */
  #continue(
    ino: number,
    size: number,
  ): { readonly link: Link; readonly prefix: string; readonly first: readonly Fields[] } {
    if (this.#seen?.inode === ino && this.#seen.size === size) return { link: this.#seen.link, prefix: '', first: [] };
    const { last, torn, unended } = endOf(this.#fd);
    const link = later(last ?? this.#lastOfFull(), readHead(this.#head));
    if (torn.length === 0) return { link, prefix: unended ? '\n' : '', first: [] };
    const piece = { at: now(), type: 'torn', bytes: torn.length, sha256: hash('sha256', torn) };
    return { link, prefix: '\n', first: [piece] };
  }

  #lastOfFull(): Link | null {
    const name = fileNames(this.#directory).at(-2);
    return name === undefined ? null : lastRecord(join(this.#directory, name));
  }

  #rotate(last: Link): void {
    const path = join(this.#directory, currentName);
    renameSync(path, join(this.#directory, nameOfFull(last.seq)));
    this.#current();
    this.#expire();
  }

  /** The record that old ones are gone comes first, so that a crash in between leaves too much and never too little. */
  #expire(): void {
    const { storeBytes } = this.#limits;
    if (storeBytes === null) return;
    const full = fileNames(this.#directory).slice(0, -1);
    let bytes = full.reduce((sum, name) => sum + statSync(join(this.#directory, name)).size, this.#limits.fileBytes);
    const old: string[] = [];
    for (const name of full) {
      if (bytes <= storeBytes) break;
      bytes -= statSync(join(this.#directory, name)).size;
      old.push(name);
    }
    const through = old.length === 0 ? null : lastRecord(join(this.#directory, old.at(-1) ?? ''));
    if (through === null) return;
    this.append([{ at: now(), type: 'expired', through: through.seq, through_hash: through.hash }]);
    for (const name of old) unlinkSync(join(this.#directory, name));
  }
}

/**
 * The head is written after the record. When it tells more than the file, records are gone from the file: going on from
 * the head leaves the gap for everyone to see.
 */
function later(inFile: Link | null, head: Link | null): Link {
  if (inFile === null) return head ?? beginning;
  return head !== null && head.seq > inFile.seq ? head : inFile;
}

function encodeAll(entries: readonly Fields[], from: Link): { readonly text: string; readonly last: Link } {
  let text = '';
  let last = from;
  for (const entry of entries) {
    const { line, link } = encode(entry, last);
    text += line;
    last = link;
  }
  return { text, last };
}

/** All of it or, unless even that fails, nothing: entries that could not be written are tried again later. */
function writeAll(fd: number, bytes: Uint8Array, size: number): void {
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
}

const written = { ms: 0, text: '' };

/** Many records are of the same millisecond, and writing a date costs as much as a hash. */
export function now(): string {
  const ms = Date.now();
  if (ms !== written.ms) Object.assign(written, { ms, text: new Date(ms).toISOString() });
  return written.text;
}
