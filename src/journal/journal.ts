/**
 * The record of all execs: what was started, what it wrote, how it ended. Kept on disk for a while, shared by all
 * processes that work on one state directory: each writes segments of its own and reads those of all.
 *
 * Events are frames in files, and not rows of the database: on the same disk and machine an exec costs 0.015 ms in place
 * of 0.055 ms, and output goes in eight times as fast. Which ids are taken is in the database (see `takeId`), and beside them
 * where their records are: a list, or a look at one exec, reads the frames that it shows and no others.
 *
 * What a crash or a full disk has taken is reported as a gap, or as an exit of reason
 * `lost`; it is never made up.
 */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { abortError, CaissonError } from '../errors.ts';
import { ownerOfExec } from '../values/owner.ts';
import { checkExecId } from '../values/exec-id.ts';
import type { RecordFilter } from '../store/records.ts';
import type { ExecEvent } from '../values/exec-event.ts';
import { Entries } from './entries.ts';
import { ExecRecorder } from './exec-recorder.ts';
import { chooseExpired, removeFile, storedFiles, takeTurn } from './expire.ts';
import type { Source } from './frames.ts';
import { summaryOf } from './list.ts';
import { inUse, readUse } from './in-use.ts';
import { entryOf } from './learner.ts';
import { lostExit } from './lost.ts';
import { errnoOf } from './problem.ts';
import { readEvents } from './read.ts';
import type { Entry, Segment } from './segment.ts';
import { Segments } from './segments.ts';
import { SpillRoom } from './spill-room.ts';
import { Writers } from './writers.ts';
import type {
  ExecFilter,
  ExecSummary,
  Journal,
  JournalOptions,
  ReadOptions,
  Recorder,
  Removed,
  ExecHeader,
} from './types.ts';

export type { Journal, JournalOptions } from './types.ts';

/** Throws `failed_precondition` when the directory cannot be made or used. */
export async function openJournal(directory: string, options: JournalOptions): Promise<Journal> {
  const spillDirectory = join(directory, 'spill');
  try {
    await mkdir(spillDirectory, { recursive: true, mode: 0o700 });
    await chmod(directory, 0o700);
  } catch (cause) {
    throw new CaissonError(
      'failed_precondition',
      `the journal ${directory} cannot be opened: ${errnoOf(cause) ?? String(cause)}`,
      {
        cause,
        remedy: 'make it a directory that this user can write to',
      },
    );
  }
  return new FileJournal(directory, spillDirectory, options);
}

const tidyMs = 60 * 60_000;
/** Files are removed whole, so a small store has small ones. */
const [leastSegmentBytes, maxSegmentBytes] = [1024 * 1024, 32 * 1024 * 1024];

/** How often a reader that follows another process looks. */
const lookMs = 50;
/** Execs of a task whose events are read in one go. */
const logsPage = 100;

class FileJournal implements Journal {
  readonly #directories: readonly [string, string];
  readonly #options: JournalOptions;
  readonly #segments: Segments;
  readonly #entries: Entries;
  readonly #writers: Writers;
  readonly #room: SpillRoom;
  readonly #live = new Map<Entry, ExecRecorder>();
  readonly #waiting = new Set<() => void>();
  /** Segment that each writer writes to, by the writer. */
  readonly #current = new Map<string, Segment>();
  #expiring = false;
  #number = 0;

  constructor(directory: string, spillDirectory: string, options: JournalOptions) {
    this.#directories = [directory, spillDirectory];
    this.#options = options;
    this.#segments = new Segments(directory, options.records);
    this.#entries = new Entries(options.records, this.#segments);
    this.#room = new SpillRoom(this.#directories, {
      storeBytes: options.storeBytes,
      onScarce: () => this.#expireSoon(),
    });
    this.#writers = new Writers({
      directory,
      holder: options.holder,
      segmentBytes: Math.max(leastSegmentBytes, Math.min(maxSegmentBytes, options.storeBytes / 16)),
      onSegment: (segment) => this.#onSegment(segment),
      onWritten: () => this.#wake(),
      isUsed: ({ id }) => this.#entries.unsettled().some(({ writer }) => writer === id),
      onClosed: ({ id }) => void this.#current.delete(id),
    });
  }

  record(execId: string, started: ExecHeader): Recorder {
    checkExecId(execId);
    const { sandboxId, taskId } = started.where;
    this.#number++;
    const owner = ownerOfExec(execId);
    const writer = this.#writers.of(owner);
    const entry = entryOf({
      execId,
      sandboxId,
      taskId,
      writer: writer.id,
      number: this.#number,
      startedAt: Date.now(),
    });
    // Known before its first frame is written, which tells where that is.
    this.#entries.add(entry);
    const recorder = new ExecRecorder(
      {
        entry,
        writer,
        spillDirectory: this.#directories[1],
        spillBytes: this.#options.spillBytes,
        room: this.#room.of(owner),
        onBegun: (start) => this.#entries.begun(entry, start, started.where.backend),
        onExit: (exit) => this.#entries.ended(entry, exit),
        onEnded: () => this.#live.delete(entry),
      },
      started,
    );
    this.#live.set(entry, recorder);
    return recorder;
  }

  async index(): Promise<void> {
    await this.#refresh();
  }

  async has(execId: string): Promise<boolean> {
    if (this.#entries.isUnsettled(execId)) return true;
    await this.#learn();
    return (await this.#entries.find(execId)) !== null;
  }

  async *read(execId: string, options: ReadOptions = {}): AsyncGenerator<ExecEvent, void, void> {
    await this.#refresh();
    const entry = await this.#entries.find(execId);
    if (entry === null) {
      throw new CaissonError('not_found', `there is no record of ${execId.slice(0, 80)}`, {
        remedy: 'records are kept for a while only; `caisson ps` lists what there is',
      });
    }
    yield* readEvents(entry, this.#source(), options);
  }

  async *logs(id: string, options: ReadOptions = {}): AsyncGenerator<ExecEvent, void, void> {
    await this.#refresh();
    if ((await this.#entries.find(id)) !== null) {
      yield* this.read(id, options);
      return;
    }
    let after: RecordFilter['after'] = null;
    do {
      const rows = await this.#options.records.list({ task: id, after, limit: logsPage, oldestFirst: true });
      for (const entry of await this.#entries.of(rows)) yield* readEvents(entry, this.#source(), options);
      const last = rows.at(-1);
      after = last === undefined || rows.length < logsPage ? null : { id: last.execId, at: last.startedAt };
    } while (after !== null);
  }

  async exec(execId: string): Promise<ExecSummary | null> {
    await this.#refresh();
    const entry = await this.#entries.find(execId);
    return entry === null ? null : summaryOf(entry);
  }

  async execs(filter: ExecFilter): Promise<readonly ExecSummary[]> {
    await this.#refresh();
    const entries = await this.#entries.of(await this.#options.records.list(filter));
    return entries.flatMap((entry) => summaryOf(entry) ?? []);
  }

  async expire({ dryRun = false }: { readonly dryRun?: boolean } = {}): Promise<readonly Removed[]> {
    await this.#refresh();
    const { storeBytes, retentionMs } = this.#options;
    const use = await readUse(this.#options.records, this.#segments, this.#entries.unsettled());
    const files = await storedFiles(this.#directories);
    const chosen = chooseExpired(files, inUse(use), {
      storeBytes,
      retentionMs,
      now: this.#options.now?.() ?? Date.now(),
    });
    if (!dryRun) {
      await Promise.all(chosen.map(async ({ path }) => await removeFile(path)));
      await this.#segments.drop(chosen.flatMap(({ name }) => (name.endsWith('.seg') ? [name] : [])));
    }
    return chosen.map(({ name, bytes, why }) => ({ name, bytes, why }));
  }

  async tidy(): Promise<void> {
    if (await takeTurn(join(this.#directories[0], 'tidied'), tidyMs)) await this.expire();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live].map(([entry, recorder]) => recorder.end(lostExit(entry, recorder.bytes))));
    this.#writers.close();
    // What the disk has not taken is in no file, whichever segments are read.
    this.#segments.complete(() => true);
    this.#wake();
  }

  #onSegment(segment: Segment): void {
    const first = !this.#current.has(segment.writer);
    this.#current.set(segment.writer, segment);
    this.#segments.add(segment);
    if (first) return;
    this.#completeSegments();
    this.#expireSoon();
  }

  /** Those before the first of their writer that something on its way may still refer to. */
  #completeSegments(): void {
    const needed = new Map([...this.#current].map(([writer, { n }]) => [writer, n]));
    for (const { writer, start } of this.#entries.unsettled())
      if (start !== null) needed.set(writer, Math.min(start.segment.n, needed.get(writer) ?? Infinity));
    this.#segments.complete(({ writer, n }) => n < (needed.get(writer) ?? Infinity));
  }

  #expireSoon(): void {
    // What fails can wait for the next time: it must not end the command that wrote.
    if (this.#expiring) return;
    this.#expiring = true;
    this.expire()
      .catch(() => undefined)
      .finally(() => {
        this.#expiring = false;
        this.#room.lookAgain();
      });
  }

  async #refresh(): Promise<void> {
    this.#writers.flush();
    await this.#learn();
  }

  /** What other processes have recorded meanwhile. */
  async #learn(): Promise<void> {
    try {
      await this.#segments.refresh();
    } catch (cause) {
      if (cause instanceof CaissonError) throw cause;
      throw new CaissonError('unavailable', `the journal cannot be read: ${errnoOf(cause) ?? String(cause)}`, {
        cause,
        remedy: `look at ${this.#directories[0]}`,
      });
    }
  }

  #source(): Source {
    return {
      spillDirectory: this.#directories[1],
      after: (segment) => this.#segments.after(segment),
      isWriterAlive: (segment) => this.#segments.isWriterAlive(segment),
      changed: (signal) => this.#changed(signal),
    };
  }

  async #changed(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, lookMs);
    let isOwn = false;
    const written = (): void => {
      isOwn = true;
      resolve();
    };
    this.#waiting.add(written);
    const stop = (): void => resolve();
    signal?.addEventListener('abort', stop, { once: true });
    await promise;
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    this.#waiting.delete(written);
    if (signal?.aborted === true) throw abortError(signal);
    // What this process has written is known here. Many readers that each looked for what others wrote would do so at each write.
    if (!isOwn) await this.#refresh();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
  }
}
