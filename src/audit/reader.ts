/** Records of the audit, over all of its files, while other processes write and rename them. */
import { statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { currentName, fileNames, lastSeqOf } from './files.ts';
import { decode, seqOf } from './line.ts';
import type { Lines } from './read.ts';
import type { AuditRecord } from './types.ts';

/** From the newest record on. */
export async function* newestFirst(directory: string, lines: Lines): AsyncGenerator<AuditRecord, void, void> {
  let before = Infinity;
  // Opened before the others are listed: where it is renamed meanwhile, it comes twice, and the second time is passed over.
  await using current = await openedIn(directory, currentName);
  for (const name of [currentName, ...fullNames(directory).toReversed()]) {
    await using file = name === currentName ? null : await openedIn(directory, name);
    const opened = name === currentName ? current : file;
    for await (const text of opened === null ? [] : lines.backward(opened)) {
      const record = decode(text);
      if (record === null || record.seq >= before) continue;
      before = record.seq;
      yield record;
    }
  }
}

/** Goes on where it has stopped each time that it is asked. */
export class Reader {
  readonly #directory: string;
  readonly #lines: Lines;
  #last: number;
  #mark = { ino: 0, at: 0 };

  /** Makes a reader of the records behind the one with the sequence number `last`. */
  constructor(directory: string, last: number, lines: Lines) {
    this.#directory = directory;
    this.#last = last;
    this.#lines = lines;
  }

  async *records(): AsyncGenerator<AuditRecord, void, void> {
    await using current = await openedIn(this.#directory, currentName);
    for (const name of fullNames(this.#directory)) {
      if (lastSeqOf(name) <= this.#last) continue;
      await using file = await openedIn(this.#directory, name);
      yield* this.#recordsIn(file);
    }
    yield* this.#recordsIn(current);
  }

  async *#recordsIn(file: FileHandle | null): AsyncGenerator<AuditRecord, void, void> {
    if (file === null) return;
    const { ino } = await file.stat();
    for await (const { text, end } of this.#lines.forward(file, ino === this.#mark.ino ? this.#mark.at : 0)) {
      this.#mark = { ino, at: end };
      const seq = seqOf(text);
      if (seq === null || seq <= this.#last) continue;
      const record = decode(text);
      if (record === null) continue;
      this.#last = record.seq;
      yield record;
    }
  }
}

function fullNames(directory: string): readonly string[] {
  const there = statSync(directory, { throwIfNoEntry: false }) !== undefined;
  return there ? fileNames(directory).filter((name) => name !== currentName) : [];
}

/** `null`: it is not there, or was renamed or removed just now. */
async function openedIn(directory: string, name: string): Promise<FileHandle | null> {
  try {
    return await open(join(directory, name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
