import { statSync } from 'node:fs';
import { systemClock } from '../lib/clock.ts';
import { everyRow } from '../store/pages.ts';
import { type Records, segmentPosition, type SegmentRow } from '../store/records.ts';
import { isAlive } from '../lib/holder.ts';
import { findRecords, Tail } from './find-records.ts';
import type { Segment } from './segment.ts';
import { openSegment, segmentNames } from './segment.ts';

/** Times of files come from a clock that ticks this coarsely at worst: two changes in one tick look like one. */
const tickMs = 50;
/** How long an answer about the life of another process is believed. */
const aliveMs = 500;
/** Headers that were read. */
const maxOpened = 200;

interface Alive {
  readonly value: boolean;
  readonly until: number;
}

/**
 * The files of the journal, of this process and of others. Each process tells the store what it writes; what one that was killed
 * could not tell is read from its files, once. While nothing changes a refresh costs one look at the directory, and one at
 * each process that writes.
 */
export class Segments {
  readonly #directory: string;
  readonly #records: Records;
  readonly #own = new Map<string, Segment>();
  readonly #opened = new Map<string, Segment>();
  readonly #alive = new Map<string, Alive>();
  /** Tail of each writer, by the writer. */
  readonly #tails = new Map<string, Tail>();
  /** Files that the store has rows of, and those that are no segments. */
  readonly #known = new Set<string>();
  #directoryAt = -1;
  #failuresSeen = 0;
  #finding: Promise<void> | null = null;

  constructor(directory: string, records: Records) {
    this.#directory = directory;
    this.#records = records;
    this.#failuresSeen = records.failures;
  }

  /** A new one of this process. */
  add(segment: Segment): void {
    this.#own.set(segment.name, segment);
    this.#known.add(segment.name);
    this.#records.opened(segment);
  }

  /** The store knows all of these segments of this process, unless rows were lost: then they are read again. */
  complete(isDone: (segment: Segment) => boolean): void {
    if (this.#records.failures !== this.#failuresSeen) return;
    const done = [...this.#own.values()].filter(isDone);
    this.#records.complete(done.map(({ name }) => name));
    for (const { name } of done) this.#own.delete(name);
  }

  async drop(names: readonly string[]): Promise<void> {
    for (const name of names) this.#opened.delete(name);
    if (names.length > 0) await this.#records.dropSegments(names);
  }

  /** `null`: the file is gone, or has no header of a segment. */
  named(name: string): Segment | null {
    const known = this.#own.get(name) ?? this.#opened.get(name);
    if (known !== undefined) return known;
    const segment = openSegment(this.#directory, name);
    if (segment === null) return null;
    if (this.#opened.size >= maxOpened) this.#opened.clear();
    this.#opened.set(name, segment);
    return segment;
  }

  async after({ writer, n }: Segment): Promise<Segment | null> {
    for (const segment of this.#own.values()) if (segment.writer === writer && segment.n === n + 1) return segment;
    const row = await this.#records.segmentAfter({ writer, n });
    return row === null ? null : this.named(row.name);
  }

  isWriterAlive(segment: Segment): boolean {
    if (this.#own.has(segment.name)) return true;
    const now = Date.now();
    const known = this.#alive.get(segment.name);
    if (known !== undefined && known.until > now) return known.value;
    const value = lookAlive(segment);
    if (this.#alive.size >= maxOpened) this.#alive.clear();
    this.#alive.set(segment.name, { value, until: now + aliveMs });
    return value;
  }

  /** Has the store know all records that are in files. */
  async refresh(): Promise<void> {
    if (this.#finding === null)
      this.#finding = this.#refresh().finally(() => {
        this.#finding = null;
      });
    await this.#finding;
  }

  async #refresh(): Promise<void> {
    await this.#lookForFiles();
    const rows = everyRow((page) => this.#records.segments({ incomplete: true, ...page }), segmentPosition);
    const others = (await Array.fromAsync(rows)).filter(({ name }) => !this.#own.has(name));
    for (const [writer, segments] of Map.groupBy(this.#present(others), (segment) => segment.writer))
      await this.#find(writer, inOrder(segments));
    await this.#findLost();
  }

  async #find(writer: string, segments: readonly Segment[]): Promise<void> {
    if (segments.some((segment) => this.isWriterAlive(segment))) {
      const tail = this.#tails.get(writer) ?? new Tail(this.#records);
      this.#tails.set(writer, tail);
      return await tail.read(segments);
    }
    this.#tails.delete(writer);
    await findRecords(this.#records, segments, true);
  }

  /** Rows of this process that could not be written, as the disk was full. */
  async #findLost(): Promise<void> {
    const { failures } = this.#records;
    if (failures === this.#failuresSeen) return;
    await this.#records.addSegments([...this.#own.values()]);
    await findRecords(this.#records, inOrder([...this.#own.values()]), false);
    this.#failuresSeen = failures;
  }

  #present(rows: readonly SegmentRow[]): readonly Segment[] {
    return rows.flatMap(({ name }) => this.named(name) ?? []);
  }

  /** Files without a row, and rows without a file. Rows are read first: a file is there before its row. */
  async #lookForFiles(): Promise<void> {
    const { mtimeMs } = statSync(this.#directory);
    if (mtimeMs === this.#directoryAt) return;
    this.#directoryAt = Date.now() - mtimeMs > tickMs ? mtimeMs : -1;
    const rows = await Array.fromAsync(everyRow((page) => this.#records.segments(page), segmentPosition));
    const names = new Set(segmentNames(this.#directory));
    for (const { name } of rows) this.#known.add(name);
    await this.drop(rows.flatMap(({ name }) => (names.has(name) || this.#own.has(name) ? [] : [name])));
    const added = [...names].filter((name) => !this.#known.has(name));
    for (const name of added) this.#known.add(name);
    const segments = added.flatMap((name) => this.named(name) ?? []);
    if (segments.length > 0) await this.#records.addSegments(segments);
  }
}

function inOrder(segments: readonly Segment[]): readonly Segment[] {
  return segments.toSorted((a, b) => a.n - b.n);
}

function lookAlive(segment: Segment): boolean {
  // The last write stands for the heartbeat of a process that cannot be looked up.
  const heartbeatAt = statSync(segment.path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return isAlive({ ...segment.holder, heartbeatAt, heartbeatBootMs: null }, systemClock);
}
