/**
 * The audit of this process. All processes of a state directory write to the same chain, one after the other. A record
 * has been given to the kernel when `record` resolves: it outlives any process, and may be lost in a power cut.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CaissonError } from '../errors.ts';
import { author } from '../lib/author.ts';
import { ownerOf } from '../values/owner.ts';
import { Chain, type Fields, now } from './chain.ts';
import { copySnapshot, figuresIn } from './copy.ts';
import { openTurnstile, type Turnstile } from '../store/file-lock.ts';
import { keysOf, spanOf } from './filter.ts';
import { Marked } from './marks.ts';
import { allLines } from './read.ts';
import { follow } from './tail.ts';
import type { Audit, AuditEntry, AuditFigures, AuditRecord, Verification } from './types.ts';
import { snapshot, verify } from './verify.ts';

export interface AuditOptions {
  /** Bytes that all files together may take; the oldest go first. `null`: none ever goes. */
  readonly storeBytes: number | null;
  /** A file of this size is full, and a new one is begun. At most an eighth of `storeBytes` counts. */
  readonly fileBytes: number;
  /** Which process writes, as the store names it. */
  readonly holder: string;
}

const filesOfStore = 8;
const soonMs = 100;
/** A process that keeps the lock for longer is stopped, and is not waited for. */
const lockWaitMs = 5000;

/** Nothing is opened or made before the first use. */
export function auditIn(directory: string, options: AuditOptions): Audit {
  return new AuditLog(directory, options);
}

/** Records that somebody waits for, until all of them are written or none is. */
interface Batch extends PromiseWithResolvers<void> {
  readonly entries: Set<Fields>;
}

class AuditLog implements Audit {
  readonly #directory: string;
  readonly #options: AuditOptions;
  readonly #marked: Marked;
  #waiting: Fields[] = [];
  #batch: Batch | null = null;
  #opened: { readonly lock: Turnstile; readonly chain: Chain } | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(directory: string, options: AuditOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#marked = new Marked(directory);
  }

  /** Commands that start in the same turn share one write: the lock and the calls to the kernel cost more than a line. */
  record(entry: AuditEntry): Promise<void> {
    const fields = this.#fields(entry);
    this.#waiting.push(fields);
    this.#batch ??= this.#newBatch();
    this.#batch.entries.add(fields);
    return this.#batch.promise;
  }

  recordSoon(entry: AuditEntry): void {
    this.#waiting.push(this.#fields(entry));
    this.#timer ??= setTimeout(() => this.#tryFlush(), soonMs).unref();
  }

  tail(how: Parameters<Audit['tail']>[0]): AsyncIterable<AuditRecord> {
    this.#tryFlush();
    const [keys, span] = [keysOf(how), spanOf(how)];
    const isFree = keys.length === 0 && how.since === undefined && how.until === undefined;
    const lines = isFree ? allLines : this.#marked.linesOf(keys, span);
    return follow({ directory: this.#directory, lines }, how);
  }

  async verify(): Promise<Verification> {
    this.#flush();
    const { lock } = this.#open();
    return await verify(lock.within(() => snapshot(this.#directory)));
  }

  figures(): AuditFigures {
    return figuresIn(this.#directory);
  }

  async copyTo(directory: string): Promise<void> {
    this.#flush();
    const { lock } = this.#open();
    await copySnapshot(
      lock.within(() => snapshot(this.#directory)),
      directory,
    );
  }

  close(): void {
    try {
      this.#flush();
    } finally {
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#opened?.chain.close();
      this.#opened?.lock.close();
      this.#opened = null;
    }
  }

  #fields({ type, ...rest }: AuditEntry): Fields {
    const { by, owner } = author();
    const whose = rest.taskId === null ? owner : ownerOf(rest.taskId);
    const token = by.startsWith('tok_') ? { token: by } : {};
    return { at: now(), type, holder: this.#options.holder, owner: whose, ...token, ...rest };
  }

  #newBatch(): Batch {
    setImmediate(() => this.#tryFlush());
    return { ...Promise.withResolvers<void>(), entries: new Set() };
  }

  /** What could not be written is tried again when it has no waiter; a waiter gets the failure. */
  #tryFlush(): void {
    try {
      this.#flush();
    } catch {
      this.#timer ??= setTimeout(() => this.#tryFlush(), soonMs * 10).unref();
    }
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const batch = this.#batch;
    this.#batch = null;
    if (this.#waiting.length === 0) return;
    try {
      const { lock, chain } = this.#open();
      lock.within(() => chain.append(this.#waiting));
      this.#waiting = [];
      batch?.resolve();
    } catch (error) {
      const failure = auditWriteError(error, this.#directory);
      // Their waiters do not go on, so that these records must not be written later.
      this.#waiting = this.#waiting.filter((each) => batch?.entries.has(each) !== true);
      batch?.reject(failure);
      throw failure;
    }
  }

  #open(): { readonly lock: Turnstile; readonly chain: Chain } {
    if (this.#opened !== null) return this.#opened;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    chmodSync(this.#directory, 0o700);
    const lock = openTurnstile(join(this.#directory, 'lock'), lockWaitMs);
    const { storeBytes } = this.#options;
    const fileBytes = Math.min(this.#options.fileBytes, Math.ceil((storeBytes ?? Infinity) / filesOfStore));
    this.#opened = { lock, chain: lock.within(() => new Chain(this.#directory, { fileBytes, storeBytes })) };
    return this.#opened;
  }
}

function auditWriteError(error: unknown, directory: string): CaissonError {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const why = error instanceof Error ? error.message : String(error);
  return new CaissonError(full ? 'resource_exhausted' : 'unavailable', `the audit cannot be written: ${why}`, {
    cause: error,
    remedy: `nothing runs that is not on record: ${full ? 'free space for' : 'look at'} ${directory}`,
  });
}
