/**
 * Marks of what stands where in the files of the audit, so that a look at the few records of one owner, task or verdict does not read
 * all others. A file is read for this once, and of the current one what has come since; nothing of it is kept beyond the process.
 */
import { statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { turn } from '../lib/turns.ts';
import { endOf, fileNames } from './files.ts';
import { lateMs, marksIn, type Span, timeOf } from './filter.ts';
import { type Line, type Lines, forward } from './read.ts';

/** One mark stands for all of its lines that begin within so many bytes. */
const spanBytes = 16 * 1024;
/** Bytes at the beginning of a file that tell it from another with the same inode: number and time of its first record. */
const headBytes = 64;
const newline = 10;
/** The mark that every line has. */
const any = '';

export class Marked {
  readonly #directory: string;
  readonly #files = new Map<number, Marks>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Lines with one of the marks that a reader wants, of its time; it looks at each line for the others. */
  linesOf(keys: readonly string[], time: Span): Lines {
    const spansFrom = async (file: FileHandle, from: number): Promise<{ key: string; at: readonly number[] }> => {
      const head = await headOf(file);
      if (!isOfTime(file, head, time)) return { key: any, at: [] };
      const { key, at } = rarest(await this.#marksOf(file, head), keys, time);
      return { key, at: at.filter((mark) => mark + spanBytes > from) };
    };
    return {
      async *backward(file) {
        const { key, at } = await spansFrom(file, 0);
        for (const mark of at.toReversed()) {
          const lines = await Array.fromAsync(span(file, mark, key));
          yield* lines.toReversed().map(({ text }) => text);
        }
      },
      async *forward(file, from) {
        const { key, at } = await spansFrom(file, from);
        for (const mark of at) yield* span(file, mark, key);
      },
    };
  }

  async #marksOf(file: FileHandle, head: string): Promise<Marks> {
    const { ino } = await file.stat();
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

async function headOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.toString('latin1', 0, bytesRead);
}

/** Whether a file may hold records of that time; by its two ends, so that the others are not read. */
function isOfTime({ fd }: FileHandle, head: string, { sinceMs, untilMs }: Span): boolean {
  if (timeOf(head) >= untilMs + lateMs) return false;
  if (sinceMs === 0) return true;
  const { last } = endOf(fd);
  return last === null || Date.parse(last.at) >= sinceMs - lateMs;
}

/** Marks of the rarest key, where a line with each of the others may be in the same span. */
function rarest(
  marks: Marks,
  keys: readonly string[],
  time: Span,
): { readonly key: string; readonly at: readonly number[] } {
  const lists = (keys.length === 0 ? [any] : keys).map((key) => ({ key, at: marks.of(key, time) }));
  const [least = { key: any, at: [] }, ...others] = lists.toSorted((one, other) => one.at.length - other.at.length);
  const isShared = (mark: number): boolean => others.every(({ at }) => isNear(at, mark));
  return { key: least.key, at: least.at.filter(isShared) };
}

/** Whether one of the ascending marks begins a span that meets the span of the other mark. */
function isNear(at: readonly number[], mark: number): boolean {
  const first = firstAbove(at, mark - spanBytes);
  return first !== undefined && first < mark + spanBytes;
}

function firstAbove(at: readonly number[], bound: number): number | undefined {
  let low = 0;
  for (let high = at.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((at[middle] ?? Infinity) > bound) high = middle;
    else low = middle + 1;
  }
  return at[low];
}

interface Places {
  readonly at: number[];
  /** Time of the line at each. */
  readonly ms: number[];
}

/** The marks of one file. */
class Marks {
  readonly head: string;
  #places = new Map<string, Places>();
  /** All lines before are in. */
  #end = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(head: string) {
    this.head = head;
  }

  /** Lines of a mark are not later than the next mark of the key. */
  of(key: string, { sinceMs, untilMs }: Span): readonly number[] {
    const { at, ms } = this.#places.get(key) ?? { at: [], ms: [] };
    return at.filter((_, index) => {
      const [from = 0, to = Number.POSITIVE_INFINITY] = [ms[index], ms[index + 1]];
      return from < untilMs + lateMs && to >= sinceMs - lateMs;
    });
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
      this.#places = new Map();
      this.#end = 0;
    }
    for await (const { text, end } of forward(file, this.#end)) {
      const ms = timeOf(text);
      if (!Number.isNaN(ms)) for (const key of [any, ...marksIn(text)]) this.#add(key, this.#end, ms);
      this.#end = end;
    }
  }

  /** A write that failed is cut off again, and may have been read. */
  async #endsALine(file: FileHandle): Promise<boolean> {
    if (this.#end === 0) return true;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, this.#end - 1);
    return bytesRead === 1 && buffer[0] === newline;
  }

  #add(key: string, at: number, ms: number): void {
    const places = this.#places.get(key) ?? { at: [], ms: [] };
    if (places.at.length === 0) this.#places.set(key, places);
    const last = places.at.at(-1);
    if (last !== undefined && at - last < spanBytes) return;
    places.at.push(at);
    places.ms.push(ms);
  }
}

/** Lines with the key that begin within a span. */
async function* span(file: FileHandle, mark: number, key: string): AsyncGenerator<Line, void, void> {
  let begin = mark;
  for await (const line of forward(file, mark, spanBytes)) {
    if (begin - mark >= spanBytes) break;
    begin = line.end;
    if (key === any || marksIn(line.text).has(key)) yield line;
  }
  await turn();
}
