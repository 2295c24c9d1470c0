import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import { isAlive } from '../../store/sqlite/holder.ts';
import type { Positioned } from './cursor.ts';
import { openCursor } from './cursor.ts';
import { forgottenIn, Learner } from './learner.ts';
import type { Entry, Segment } from './segment.ts';
import { openSegment, segmentNames } from './segment.ts';

/** Times of files come from a clock that ticks this coarsely at worst: two changes in one tick look like one. */
const tickMs = 50;
/** How long an answer about the life of another process is believed. */
const aliveMs = 500;
const scanBytes = 1024 * 1024;
/** Of the execs that have ended, the latest stay in memory. The entries of others are read again when they are wanted. */
const remembered = 10_000;

/** What is known of a segment that this process does not write. */
interface Foreign {
  scanned: number;
  /** Nothing more can come: its writer went on to the next, or is dead. */
  final: boolean;
  alive: { readonly value: boolean; readonly until: number };
}

/**
 * Which execs the directory knows, of this process and of others. Segments of others are scanned once, and again from
 * where they have grown; while nothing changes a refresh costs one look at the directory and one at each segment that
 * another live process writes.
 */
export class Catalogue {
  readonly #directory: string;
  readonly #segments = new Map<string, Segment>();
  readonly #foreign = new Map<Segment, Foreign>();
  readonly #learner = new Learner();
  /** The latest ends, in a ring. */
  readonly #ended: Entry[] = [];
  #nextEnded = 0;
  #directoryAt = -1;
  #scanning: Promise<void> | null = null;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A segment of this process. Its writer adds the entries. */
  add(segment: Segment): void {
    this.#segments.set(segment.name, segment);
  }

  drop(segment: Segment): void {
    this.#segments.delete(segment.name);
    this.#foreign.delete(segment);
  }

  find(execId: string): Entry | null {
    for (const segment of this.#segments.values()) {
      const entry = segment.entries.get(execId);
      if (entry !== undefined) return entry;
    }
    for (const segment of this.#segments.values()) {
      if (!segment.forgotten.has(execId)) continue;
      const entry = this.#forgottenIn(segment).find((each) => each.execId === execId);
      if (entry !== undefined) return entry;
    }
    return null;
  }

  /** All execs that run, and the latest of those that have ended. */
  latest(): readonly Entry[] {
    return this.segments().flatMap((segment) => [...segment.entries.values()]);
  }

  all(): readonly Entry[] {
    const forgotten = this.segments().filter((segment) => segment.forgotten.size > 0);
    return [...this.latest(), ...forgotten.flatMap((segment) => this.#forgottenIn(segment))];
  }

  /** Its end is on the disk. */
  ended(entry: Entry): void {
    const oldest = this.#ended[this.#nextEnded];
    this.#ended[this.#nextEnded] = entry;
    this.#nextEnded = (this.#nextEnded + 1) % remembered;
    const segment = oldest?.start?.segment;
    if (oldest !== undefined && segment?.entries.delete(oldest.execId) === true) segment.forgotten.add(oldest.execId);
  }

  segments(): readonly Segment[] {
    return [...this.#segments.values()];
  }

  /** The one that its writer went on to. */
  after({ writer, n }: Segment): Segment | null {
    for (const segment of this.#segments.values()) if (segment.writer === writer && segment.n === n + 1) return segment;
    return null;
  }

  isWriterAlive(segment: Segment): boolean {
    const foreign = this.#foreign.get(segment);
    if (foreign === undefined) return this.#segments.get(segment.name) === segment;
    const now = Date.now();
    if (foreign.alive.until <= now) foreign.alive = { value: lookAlive(segment), until: now + aliveMs };
    return foreign.alive.value;
  }

  /** Brings the knowledge of other processes up to date. Nothing to wait for when nothing changed. */
  refresh(): Promise<void> | null {
    if (this.#scanning !== null) return this.#scanning.then(() => this.refresh() ?? undefined);
    this.#lookForSegments();
    const grown = [...this.#foreign].filter(([segment, state]) => !state.final && this.#hasGrown(segment, state));
    if (grown.length === 0) return null;
    grown.sort(([a], [b]) => (a.writer === b.writer ? a.n - b.n : a.writer < b.writer ? -1 : 1));
    this.#scanning = this.#scanAll(grown).finally(() => {
      this.#scanning = null;
    });
    return this.#scanning;
  }

  #lookForSegments(): void {
    const { mtimeMs } = statSync(this.#directory);
    if (mtimeMs === this.#directoryAt) return;
    this.#directoryAt = Date.now() - mtimeMs > tickMs ? mtimeMs : -1;
    for (const name of segmentNames(this.#directory)) {
      if (this.#segments.has(name)) continue;
      const segment = openSegment(this.#directory, name);
      if (segment === null) continue;
      this.#segments.set(name, segment);
      this.#foreign.set(segment, { scanned: segment.first, final: false, alive: { value: true, until: 0 } });
    }
  }

  #hasGrown(segment: Segment, state: Foreign): boolean {
    // Asked before the size is: what a writer wrote before it died is then in the size.
    const closed = this.after(segment) !== null || !this.isWriterAlive(segment);
    const size = sizeOf(segment);
    if (size === null) this.drop(segment);
    if (closed && size === state.scanned) state.final = true;
    return size !== null && size > state.scanned;
  }

  async #scanAll(grown: readonly (readonly [Segment, Foreign])[]): Promise<void> {
    for (const [segment, state] of grown) {
      const closed = this.after(segment) !== null || !this.isWriterAlive(segment);
      await this.#scan(segment, state);
      // What still is behind the last good frame then is a torn tail.
      if (closed) state.final = true;
    }
  }

  async #scan(segment: Segment, state: Foreign): Promise<void> {
    const cursor = openCursor(segment, state.scanned);
    if (cursor === null) return;
    try {
      let pauseAt = state.scanned + scanBytes;
      for (let taken = cursor.next(); taken !== null; taken = cursor.next()) {
        this.#learn(segment, taken);
        state.scanned = cursor.offset;
        if (state.scanned < pauseAt) continue;
        pauseAt = state.scanned + scanBytes;
        await setImmediate();
      }
    } finally {
      cursor.close();
    }
  }

  #learn(segment: Segment, taken: Positioned): void {
    const learned = this.#learner.learn(segment, taken);
    if (learned === null) return;
    const { entry, is } = learned;
    if (is === 'started') segment.entries.set(entry.execId, entry);
    if (is === 'ended') this.ended(entry);
    if (is === 'voided') entry.start?.segment.entries.delete(entry.execId);
  }

  #forgottenIn(segment: Segment): readonly Entry[] {
    return forgottenIn(segment, (each) => this.after(each));
  }
}

function lookAlive(segment: Segment): boolean {
  // Where a process cannot be looked up, its last write stands for its heartbeat.
  const holder = { ...segment.holder, heartbeatAt: statOf(segment)?.mtimeMs ?? 0, heartbeatBootMs: null };
  return isAlive(holder, systemClock);
}

function sizeOf(segment: Segment): number | null {
  return statOf(segment)?.size ?? null;
}

function statOf(segment: Segment): { readonly size: number; readonly mtimeMs: number } | null {
  return statSync(segment.path, { throwIfNoEntry: false }) ?? null;
}
