/**
 * Places of the records of each owner in the files of the audit, so that a look at the few of one owner does not read those of all
 * others. A file is read for this once, and of the current one what has come since; nothing of it is kept beyond the process.
 */
import { statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { turn } from '../lib/turns.ts';
import { fileNames } from './files.ts';
import { type Line, type Lines, forward } from './read.ts';

/** One mark of an owner stands for all lines that begin within so many bytes. */
const spanBytes = 32 * 1024;
/** Bytes at the beginning of a file that tell it from another with the same inode: number and time of its first record. */
const headBytes = 64;
const newline = 10;
const ownerForm = /^\{"seq":\d+,"at":"[^"]*","type":"[^"]*","holder":"[^"]*","owner":"([^"\\]*)"/;

export class Owners {
  readonly #directory: string;
  readonly #files = new Map<number, Marks>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Lines of an owner alone. */
  linesOf(owner: string): Lines {
    const spansFrom = async (file: FileHandle, from: number): Promise<readonly number[]> =>
      (await this.#marksOf(file)).of(owner).filter((mark) => mark + spanBytes > from);
    return {
      async *backward(file) {
        for (const mark of (await spansFrom(file, 0)).toReversed()) {
          const lines = await Array.fromAsync(span(file, mark, owner));
          yield* lines.toReversed().map(({ text }) => text);
        }
      },
      async *forward(file, from) {
        for (const mark of await spansFrom(file, from)) yield* span(file, mark, owner);
      },
    };
  }

  async #marksOf(file: FileHandle): Promise<Marks> {
    const { ino } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    const known = this.#files.get(ino);
    const marks = known?.head === head ? known : this.#add(ino, new Marks(head));
    await marks.goOn(file);
    return marks;
  }

  /** A new file is where old ones are removed. */
  #add(ino: number, marks: Marks): Marks {
    const there = new Set(fileNames(this.#directory).map((name) => inodeOf(join(this.#directory, name))));
    for (const known of this.#files.keys()) if (!there.has(known)) this.#files.delete(known);
    this.#files.set(ino, marks);
    return marks;
  }
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** The marks of one file. */
class Marks {
  readonly head: string;
  #marks = new Map<string, number[]>();
  /** All lines before are in. */
  #end = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(head: string) {
    this.head = head;
  }

  of(owner: string): readonly number[] {
    return this.#marks.get(owner) ?? [];
  }

  /** One reader after the other: the second finds what the first has read, and takes what has come since. */
  async goOn(file: FileHandle): Promise<void> {
    const before = this.#reading;
    const reading = (async () => {
      await before.catch(() => undefined);
      await this.#read(file);
    })();
    this.#reading = reading;
    await reading;
  }

  async #read(file: FileHandle): Promise<void> {
    if (!(await this.#endsALine(file))) {
      this.#marks = new Map();
      this.#end = 0;
    }
    for await (const { text, end } of forward(file, this.#end)) {
      const owner = ownerIn(text);
      if (owner !== null) this.#add(owner, this.#end);
      this.#end = end;
    }
  }

  /** A write that failed is cut off again, and may have been read. */
  async #endsALine(file: FileHandle): Promise<boolean> {
    if (this.#end === 0) return true;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, this.#end - 1);
    return bytesRead === 1 && buffer[0] === newline;
  }

  #add(owner: string, at: number): void {
    const marks = this.#marks.get(owner) ?? [];
    if (marks.length === 0) this.#marks.set(owner, marks);
    const last = marks.at(-1);
    if (last === undefined || at - last >= spanBytes) marks.push(at);
  }
}

/** Lines of an owner that begin within a span. */
async function* span(file: FileHandle, mark: number, owner: string): AsyncGenerator<Line, void, void> {
  let begin = mark;
  for await (const line of forward(file, mark)) {
    if (begin - mark >= spanBytes) break;
    begin = line.end;
    if (ownerIn(line.text) === owner) yield line;
  }
  await turn();
}

/** Read from the place where each line has it; a line of another form is parsed. */
function ownerIn(line: string): string | null {
  const [, owner] = ownerForm.exec(line) ?? [];
  return owner ?? parsedOwner(line);
}

function parsedOwner(line: string): string | null {
  try {
    const record: unknown = JSON.parse(line);
    const isOwned = typeof record === 'object' && record !== null && 'owner' in record;
    return isOwned && typeof record.owner === 'string' ? record.owner : null;
  } catch {
    return null; // a torn line has no owner
  }
}
