import type { Readable } from 'node:stream';
import { inTurn } from '../lib/turns.ts';
import type { Redactor } from '../redact/types.ts';
import type { OutputLimit } from './output-limit.ts';
import { Outlet } from './outlet.ts';
import type { StreamName } from '../values/exec-event.ts';

/** What may pile up for a slow reader once the command has ended: more than pipes, relays and sockets hold on the way. */
const drainBytes = 4 * 1024 * 1024;
/** Bytes that are redacted before the clock is looked at; the worst of them take some milliseconds. */
const sliceBytes = 16 * 1024;
/** After so long, everything else has its turn. */
const turnMs = 10;
/** A terminal that is silent for so long waits for a person, who must see all of its prompt. */
const promptMs = 50;

/** Takes secrets out of what is recorded and, unless `reader` is to see them, of what is delivered. */
export interface TapRedaction {
  readonly stream: Redactor;
  readonly reader: boolean;
  /** Whether a person may follow the record, as a terminal of the service is followed: then silence ends what is held. */
  readonly prompts: boolean;
}

export interface TapOptions {
  readonly name: StreamName;
  readonly limit: OutputLimit;
  /** Keeps a chunk. A promise means that the disk is behind: the command waits for it. */
  readonly record: ((name: StreamName, chunk: Uint8Array) => Promise<void> | void) | null;
  readonly redact: TapRedaction | null;
  /** What was recorded, from a byte on. `null`: nothing is, or the reader gets other bytes than the record. */
  readonly recorded: ((name: StreamName, from: number) => AsyncIterable<Uint8Array>) | null;
  /** Whether `out` ends with `close` alone, so that `append` still reaches its reader when the source has ended. */
  readonly endsLate: boolean;
}

/**
 * One stream of a running command on its way to its reader and its record. The slower of the two sets the pace, if it has
 * a reader: nothing is held here but what the reader's buffer takes.
 */
export class Tap {
  /** Resolves when the source has ended or broken. */
  readonly done: Promise<void>;
  readonly #resolveDone: () => void;
  readonly #source: Readable;
  readonly #options: TapOptions;
  readonly #outlet: Outlet;
  #bytes = 0;
  #undelivered = 0;
  #lastAt = 0;
  #readerFull = false;
  #diskBehind = false;
  /** Taken from the source and not redacted yet. */
  #unredacted: Buffer | null = null;
  #endsAfterwards = false;
  #silence: NodeJS.Timeout | null = null;
  /** Nothing more goes into `out`: it ended, or it has no reader. */
  #finished = false;
  #flushed = false;
  #phase: 'running' | 'draining' | 'closed' = 'running';
  #ended = false;
  #broken: string | null = null;

  constructor(source: Readable, options: TapOptions) {
    this.#source = source;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#resolveDone = resolve;
    const { name, recorded } = options;
    this.#outlet = new Outlet({
      recorded: recorded === null ? null : (from) => recorded(name, from),
      onRead: () => this.#onRead(),
      onGone: () => this.#onGone(),
    });
    source.on('data', this.#onData);
    source.once('end', this.#onEnd);
    source.once('close', this.#onClose);
    source.on('error', this.#onError);
    // A stream without a byte ends as soon as it is made, which may be before anybody could listen.
    if (source.readableEnded) this.#onEnd();
    else if (source.destroyed) this.#onClose();
  }

  get out(): Readable {
    return this.#outlet.readable;
  }

  /** See `Outlet`. */
  get unreadFrom(): number | null {
    return this.#outlet.unreadFrom;
  }

  /** Whether a part of it is had from the record alone. */
  get isLeft(): boolean {
    return this.#outlet.isLeft;
  }

  /** Bytes the command wrote, as far as they reached us. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether bytes that the command wrote are not in `out`, through no choice of its reader. */
  get incomplete(): boolean {
    const isBehind = this.#diskBehind || this.#unredacted !== null;
    return this.#undelivered > 0 || this.#broken !== null || (isBehind && !this.#ended);
  }

  get name(): StreamName {
    return this.#options.name;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** When the last byte came, by `performance.now()`; 0 before the first. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** Why the stream ended before its end. */
  get broken(): string | null {
    return this.#broken;
  }

  /** From here on bytes are counted and recorded, and no reader is waited for. */
  ignore(): void {
    this.#finished = true;
    this.#outlet.close();
    this.#pace();
  }

  /** The command has ended: what is still on its way is taken without waiting for the reader, up to a bound. */
  drain(): void {
    if (this.#phase !== 'running') return;
    this.#phase = 'draining';
    this.#pace();
  }

  /** Words of Caisson behind those of the command, as the command's reader and the record get them. */
  append(text: string): void {
    if (this.#phase === 'closed') return;
    const bytes = Buffer.from(text);
    this.#bytes += bytes.length;
    this.#flush();
    this.#record(bytes);
    this.#deliver(bytes);
  }

  /** Nothing more is delivered. */
  close(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#source.off('data', this.#onData);
    // The error listener stays: a stream that is given up may still fail, and that failure has no reader.
    this.#flush();
    this.#finish();
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#outlet.end();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    this.#lastAt = performance.now();
    const allowed = this.#options.limit.take(chunk.length);
    this.#undelivered += chunk.length - allowed;
    if (allowed === 0) return;
    const part = allowed === chunk.length ? chunk : chunk.subarray(0, allowed);
    const { redact } = this.#options;
    if (redact?.reader === true) this.#deliver(part);
    if (redact === null) this.#pass([part]);
    else if (this.#unredacted === null) this.#redact(part, redact.stream);
    else this.#unredacted = Buffer.concat([this.#unredacted, part]);
    if (redact?.prompts === true) this.#releaseAfterSilence(redact.stream);
    this.#pace();
  };

  /** A command may print what takes long to redact: it waits, and everything else goes on. */
  #redact(part: Buffer, stream: Redactor): void {
    const startedMs = performance.now();
    this.#unredacted = null;
    for (let at = 0; at < part.length; at += sliceBytes) {
      if (at > 0 && performance.now() - startedMs > turnMs) {
        this.#unredacted = part.subarray(at);
        inTurn(() => this.#redactRest(stream));
        return;
      }
      this.#pass(stream.write(part.length <= sliceBytes ? part : part.subarray(at, at + sliceBytes)));
    }
  }

  #redactRest(stream: Redactor): void {
    if (this.#unredacted === null) return;
    this.#redact(this.#unredacted, stream);
    if (this.#unredacted !== null) return;
    this.#pace();
    if (this.#endsAfterwards) this.#onEnd();
  }

  #pass(parts: readonly Buffer[]): void {
    for (const part of parts) {
      this.#record(part);
      if (this.#options.redact?.reader !== true) this.#deliver(part);
    }
  }

  #releaseAfterSilence(stream: Redactor): void {
    this.#silence ??= setTimeout(() => {
      this.#silence = null;
      if (this.#unredacted === null) this.#pass(stream.release());
      else this.#releaseAfterSilence(stream);
    }, promptMs);
    this.#silence.refresh();
  }

  /** What the redactor held, once. */
  #flush(): void {
    if (this.#flushed) return;
    this.#flushed = true;
    if (this.#silence !== null) clearTimeout(this.#silence);
    if (this.#unredacted !== null) this.#pass(this.#options.redact?.stream.write(this.#unredacted) ?? []);
    this.#unredacted = null;
    this.#pass(this.#options.redact?.stream.end() ?? []);
  }

  #record(part: Buffer): void {
    const behind = this.#options.record?.(this.#options.name, part);
    if (behind === undefined) return;
    this.#diskBehind = true;
    const caughtUp = (): void => {
      this.#diskBehind = false;
      this.#pace();
    };
    // A record that fails says so in its own note; the command goes on.
    behind.then(caughtUp, caughtUp);
  }

  #deliver(part: Buffer): void {
    if (this.#finished) return;
    const isFull = this.#phase === 'draining' && this.out.readableLength >= drainBytes;
    if (isFull && !this.#outlet.leave()) this.#undelivered += part.length;
    else if (!this.#outlet.push(part)) this.#readerFull = true;
  }

  #pace(): void {
    if (this.#phase === 'closed' || this.#ended) return;
    const readerHolds = this.#readerFull && !this.#finished && this.#phase === 'running';
    if (readerHolds || this.#diskBehind || this.#unredacted !== null) this.#source.pause();
    else if (this.#source.isPaused()) this.#source.resume();
  }

  #onRead(): void {
    if (!this.#readerFull) return;
    this.#readerFull = false;
    this.#pace();
  }

  /** A reader that goes away does not stop the command. */
  #onGone(): void {
    this.#finished = true;
    this.#pace();
  }

  readonly #onEnd = (): void => {
    if (this.#ended) return;
    this.#endsAfterwards = this.#unredacted !== null;
    if (this.#endsAfterwards) return;
    this.#ended = true;
    this.#flush();
    if (!this.#options.endsLate) this.#finish();
    this.#resolveDone();
  };

  readonly #onClose = (): void => {
    if (this.#endsAfterwards) return;
    if (!this.#ended && this.#phase !== 'closed') this.#broken ??= 'it closed before its end';
    this.#onEnd();
  };

  readonly #onError = (error: Error): void => {
    if (!this.#ended && this.#phase !== 'closed') this.#broken ??= error.message.slice(0, 200);
    this.#onEnd();
  };
}
