/**
 * The record of all execs: what was started, what it wrote, how it ended. Kept on disk for a while, shared by all
 * processes that work on one state directory: each writes segments of its own and reads those of all.
 *
 * Events are frames in files, and not rows of the database: on the same disk and machine an exec costs 0.015 ms in place
 * of 0.055 ms, and output goes in eight times as fast. Which ids are taken is in the database (see `takeId`).
 *
 * What a crash or a full disk has taken is reported as a gap, or as an exit of reason
 * `lost`; it is never made up.
 */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { abortError, CaissonError } from '../../errors.ts';
import { checkExecId } from '../request.ts';
import { ownerOf, ownerOfExec } from '../../values/owner.ts';
import type { ExecEvent } from '../types.ts';
import { Catalogue } from './catalogue.ts';
import { ExecRecorder } from './exec-recorder.ts';
import { chooseExpired, removeFile, storedFiles, takeTurn } from './expire.ts';
import type { Source } from './frames.ts';
import { summaries } from './list.ts';
import { inUse } from './in-use.ts';
import { entryOf } from './learner.ts';
import { lostExit } from './lost.ts';
import { errnoOf } from './problem.ts';
import { readEvents } from './read.ts';
import type { Entry, Segment } from './segment.ts';
import { SegmentWriter } from './segment-writer.ts';
import { SpillRoom } from './spill-room.ts';
import type {
  ExecFilter,
  ExecSummary,
  Journal,
  JournalOptions,
  ReadOptions,
  Recorder,
  Removed,
  Started,
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
const [leastSegmentBytes, mostSegmentBytes] = [1024 * 1024, 32 * 1024 * 1024];

/** How often a reader that follows another process looks. */
const lookMs = 50;

class FileJournal implements Journal {
  readonly #directories: readonly [string, string];
  readonly #options: JournalOptions;
  readonly #catalogue: Catalogue;
  readonly #writer: SegmentWriter;
  readonly #room: SpillRoom;
  readonly #live = new Map<Entry, ExecRecorder>();
  readonly #waiting = new Set<() => void>();
  #segment: Segment | null = null;
  #expiring = false;
  #number = 0;

  constructor(directory: string, spillDirectory: string, options: JournalOptions) {
    this.#directories = [directory, spillDirectory];
    this.#options = options;
    this.#catalogue = new Catalogue(directory);
    this.#room = new SpillRoom(this.#directories, {
      storeBytes: options.storeBytes,
      onScarce: () => this.#expireSoon(),
    });
    this.#writer = new SegmentWriter({
      directory,
      holder: options.holder,
      segmentBytes: Math.max(leastSegmentBytes, Math.min(mostSegmentBytes, options.storeBytes / 16)),
      onSegment: (segment) => this.#onSegment(segment),
      onWritten: () => this.#wake(),
    });
  }

  record(execId: string, started: Started): Recorder {
    checkExecId(execId);
    const { sandboxId, taskId } = started.where;
    this.#number++;
    const [writer, number] = [this.#writer.id, this.#number];
    const entry = entryOf({ execId, sandboxId, taskId, writer, number, startedAt: Date.now() });
    const recorder = new ExecRecorder(
      {
        entry,
        writer: this.#writer,
        spillDirectory: this.#directories[1],
        spillBytes: this.#options.spillBytes,
        room: this.#room,
        onEnded: () => this.#onEnded(entry),
      },
      started,
    );
    this.#live.set(entry, recorder);
    // Where the frame is, or would be if the disk had taken it.
    (entry.start?.segment ?? this.#segment)?.entries.set(execId, entry);
    return recorder;
  }

  async has(execId: string): Promise<boolean> {
    await this.#learn();
    return this.#catalogue.find(execId) !== null || this.#isLive(execId);
  }

  async *read(execId: string, options: ReadOptions = {}): AsyncGenerator<ExecEvent, void, void> {
    await this.#refresh();
    const entry = this.#catalogue.find(execId);
    if (entry === null) {
      throw new CaissonError('not_found', `there is no record of ${execId.slice(0, 80)}`, {
        remedy: 'records are kept for a while only; `caisson ps` lists what there is',
      });
    }
    yield* readEvents(entry, this.#source(), options);
  }

  async *logs(id: string, options: ReadOptions = {}): AsyncGenerator<ExecEvent, void, void> {
    await this.#refresh();
    if (this.#catalogue.find(id) !== null) {
      yield* this.read(id, options);
      return;
    }
    const entries = this.#catalogue.all().filter(({ taskId, sandboxId }) => taskId === id || sandboxId === id);
    for (const entry of oldestFirst(entries)) yield* readEvents(entry, this.#source(), options);
  }

  async exec(execId: string): Promise<ExecSummary | null> {
    await this.#refresh();
    const entry = this.#catalogue.find(execId);
    return entry === null ? null : (this.#summaries([entry])[0] ?? null);
  }

  async execs({ task, owner, sandboxes, after = null, limit }: ExecFilter): Promise<readonly ExecSummary[]> {
    await this.#refresh();
    const among = sandboxes === undefined ? null : new Set(sandboxes);
    const isWanted = ({ execId, taskId, sandboxId }: Entry): boolean =>
      (task === undefined || taskId === task || sandboxId === task) &&
      (among === null || among.has(sandboxId)) &&
      (owner === undefined || (ownerOf(taskId) === owner && ownerOfExec(execId) === owner));
    const latest = after === null ? this.#catalogue.latest().filter(isWanted) : [];
    const wanted = oldestFirst(latest.length < limit ? this.#catalogue.all().filter(isWanted) : latest).toReversed();
    return this.#summaries((after === null ? wanted : following(wanted, after)).slice(0, limit));
  }

  #summaries(entries: readonly Entry[]): readonly ExecSummary[] {
    return summaries(entries, (segment) => this.#catalogue.isWriterAlive(segment));
  }

  async expire({ dryRun = false }: { readonly dryRun?: boolean } = {}): Promise<readonly Removed[]> {
    await this.#refresh();
    const { storeBytes, retentionMs } = this.#options;
    const files = await storedFiles(this.#directories);
    const chosen = chooseExpired(files, inUse(this.#catalogue, this.#catalogue.latest()), {
      storeBytes,
      retentionMs,
      now: this.#options.now?.() ?? Date.now(),
    });
    if (!dryRun) await Promise.all(chosen.map(async ({ path }) => await removeFile(path)));
    for (const { name } of dryRun ? [] : chosen) {
      for (const segment of this.#catalogue.segments()) if (segment.name === name) this.#catalogue.drop(segment);
    }
    return chosen.map(({ name, bytes, why }) => ({ name, bytes, why }));
  }

  async tidy(): Promise<void> {
    if (await takeTurn(join(this.#directories[0], 'tidied'), tidyMs)) await this.expire();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live].map(([entry, recorder]) => recorder.end(lostExit(entry, recorder.bytes))));
    this.#writer.close();
    this.#wake();
  }

  #onEnded(entry: Entry): void {
    this.#live.delete(entry);
    // What the disk has not taken is known here alone.
    if (entry.start !== null && entry.exit !== null) this.#catalogue.ended(entry);
  }

  #isLive(execId: string): boolean {
    // Only an exec that the disk never took is in no segment, and those are few.
    return this.#segment === null && [...this.#live.keys()].some((entry) => entry.execId === execId);
  }

  #onSegment(segment: Segment): void {
    const first = this.#segment === null;
    this.#segment = segment;
    this.#catalogue.add(segment);
    if (!first) this.#expireSoon();
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
    this.#writer.flush();
    await this.#learn();
  }

  /** What other processes have recorded meanwhile. */
  async #learn(): Promise<void> {
    try {
      await this.#catalogue.refresh();
    } catch (cause) {
      throw new CaissonError('unavailable', `the journal cannot be read: ${errnoOf(cause) ?? String(cause)}`, {
        cause,
        remedy: `look at ${this.#directories[0]}`,
      });
    }
  }

  #source(): Source {
    return {
      spillDirectory: this.#directories[1],
      after: (segment) => this.#catalogue.after(segment),
      isWriterAlive: (segment) => this.#catalogue.isWriterAlive(segment),
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

function oldestFirst(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => a.startedAt - b.startedAt || a.number - b.number);
}

/** Of entries that are newest first, those after the exec. */
function following(entries: readonly Entry[], { id, at }: NonNullable<ExecFilter['after']>): readonly Entry[] {
  const place = entries.findIndex(({ execId }) => execId === id);
  return place >= 0 ? entries.slice(place + 1) : entries.filter(({ startedAt }) => startedAt < at);
}
