import type { Readable, Writable } from 'node:stream';
import type { Outputs, Process, ProcessEnd, PtyProcess } from '../backend.ts';
import { toCaissonError } from '../errors.ts';
import type { Redactor } from '../redact/types.ts';
import { failpoint } from '../lib/failpoint.ts';
import { OutputLimit } from './output-limit.ts';
import type { Watched } from './context.ts';
import { drain } from './drain.ts';
import type { Exit, ExitReason, StreamSummary } from '../values/exit.ts';
import { killTree } from './kill/kill-tree.ts';
import type { KillReport } from './kill/report.ts';
import {
  endedNote,
  exitOf,
  exitWithout,
  outputsNote,
  redactionsNote,
  startNote,
  summaryOf,
  unreadNotes,
} from '../values/outcome.ts';
import { inTurn } from './resize.ts';
import { settledOrLate } from './settled.ts';
import { Tap, type TapOptions, type TapRedaction } from './tap.ts';
import type { Execution } from './types.ts';
import type { UserSandbox } from './user.ts';
import type { StreamName } from '../values/exec-event.ts';

export interface Forced {
  readonly reason: ExitReason;
  readonly note: string;
}

/** How long the place may take to report the end of a command whose tree was killed. */
const reportMs = 5000;
/** How long the exit waits for the disk to take the end of the record. */
const recordMs = 5000;

/**
 * One command that runs. The first reason to end it wins; it settles on the end of its process and the proved end of its
 * streams, never on the streams alone, since a child that lives on may hold them.
 */
export class RunningExec implements Execution {
  readonly id: string;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exit: Promise<Exit>;
  readonly resize?: (columns: number, rows: number) => Promise<void>;
  readonly #process: Process;
  readonly #watched: Watched;
  readonly #taps: Readonly<Record<StreamName, Tap>>;
  readonly #from = performance.now();
  readonly #notes: string[] = [];
  readonly #redactors: Redactor[] = [];
  /** Resolves when a killed command is waited for no longer. */
  readonly #givenUp = Promise.withResolvers<null>();
  #forced: ExitReason | null = null;
  #killing: Promise<KillReport> | null = null;
  #endedAt: number | null = null;

  /** `forced`: what ended the command before its process was known. */
  constructor(process: Process | PtyProcess, watched: Watched, forced: Forced | null = null) {
    this.#process = process;
    this.#watched = watched;
    if (forced !== null) {
      this.#forced = forced.reason;
      this.#notes.push(forced.note);
    }
    const { request, context } = watched;
    this.id = request.execId;
    this.stdin = process.stdin;
    // A command may close its end of stdin (EPIPE); its exit says how it ended.
    process.stdin?.on('error', () => {});
    const limit = new OutputLimit(request.outputLimitBytes, () => {
      this.#force('output-limit', `killed: it wrote more than ${request.outputLimitBytes} bytes`);
    });
    const { recorder } = context;
    const record = recorder === null ? null : recorder.write.bind(recorder);
    const recorded = this.#isRaw ? null : (context.recorded ?? null);
    this.#taps = {
      stdout: new Tap(process.stdout, { name: 'stdout', limit, record, recorded, ...this.#passing('stdout') }),
      stderr: new Tap(process.stderr, { name: 'stderr', limit, record, recorded, ...this.#passing('stderr') }),
    };
    this.stdout = this.#taps.stdout.out;
    this.stderr = this.#taps.stderr.out;
    // The processes of a backend may all be of one class.
    if (request.tty !== null && 'resize' in process)
      this.resize = inTurn((columns, rows) => process.resize(columns, rows));
    this.exit = this.#run().catch((error: unknown) =>
      exitWithout('lost', `a failure of our own: ${toCaissonError(error).message.slice(0, 500)}`),
    );
  }

  #passing(name: StreamName): Pick<TapOptions, 'redact' | 'endsLate'> {
    return { redact: this.#redacting(), endsLate: name === this.#heard };
  }

  /** Stream of a reader that reads one stream alone. */
  get #heard(): StreamName {
    return this.#watched.request.tty === null ? 'stderr' : 'stdout';
  }

  /** A terminal belongs to a person, whose screen must not wait; the operator's programs may want every byte. */
  get #isRaw(): boolean {
    const { context, request } = this.#watched;
    return request.tty !== null || context.rawOutput === true;
  }

  #redacting(): TapRedaction | null {
    const { context, request } = this.#watched;
    if (context.redaction === undefined || context.redaction === null) return null;
    const stream = context.redaction.stream();
    this.#redactors.push(stream);
    return { stream, reader: this.#isRaw, prompts: request.tty !== null };
  }

  ignore(stream?: StreamName): void {
    if (stream !== 'stderr') this.#taps.stdout.ignore();
    if (stream !== 'stdout') this.#taps.stderr.ignore();
  }

  async cancel(): Promise<void> {
    this.#force('canceled', 'killed: it was canceled');
    await this.exit;
  }

  async #run(): Promise<Exit> {
    const stop = this.#watchLimits();
    const end = await this.#waitForEnd();
    stop();
    const taps = [this.#taps.stdout, this.#taps.stderr];
    for (const tap of taps) tap.drain();
    // What is being killed may still write, and hold a stream until it is gone.
    const report = await this.#killing;
    const outputs = await drain(taps, this.#process);
    const backgroundOpen = outputs.is === 'held' && outputs.pids.length > 0 && taps.some((tap) => !tap.ended);
    const notStarted = this.#startNote(end);
    // A caller who shows output and code alone would show nothing.
    if (notStarted !== null) this.#taps[this.#heard].append(`caisson: ${notStarted}${this.#lineEnd}`);
    for (const tap of taps) tap.close();
    this.#process.stdin?.destroy();
    this.#process.release();
    await this.#noteWhoEnded(end);
    const exit = this.#compose(end, report, { outputs, backgroundOpen });
    await failpoint('exec-ended');
    await this.#record(exit);
    this.#watched.context.onSettled?.();
    return exit;
  }

  /** Deadline and cancellation; gives the function that ends both. */
  #watchLimits(): () => void {
    const { request, context } = this.#watched;
    const { timeoutMs } = request;
    const late = (): void => this.#force('timed-out', `killed: it ran longer than ${timeoutMs} ms`);
    const timer = timeoutMs === null ? undefined : setTimeout(late, timeoutMs);
    const canceled = (): void => this.#force('canceled', 'killed: it was canceled');
    if (context.signal?.aborted === true) canceled();
    context.signal?.addEventListener('abort', canceled, { once: true });
    return () => {
      clearTimeout(timer);
      context.signal?.removeEventListener('abort', canceled);
    };
  }

  async #waitForEnd(): Promise<ProcessEnd | null> {
    try {
      const end = await Promise.race([this.#process.wait(), this.#givenUp.promise]);
      this.#endedAt = performance.now();
      if (end === null) this.#notes.push('the place did not report how the command ended');
      return end;
    } catch (error) {
      this.#endedAt = performance.now();
      this.#lose(toCaissonError(error).message.slice(0, 500));
      return null;
    }
  }

  /** The command may still run where we cannot see it, so what can be reached of it is ended. It is never run again. */
  #lose(why: string): void {
    this.#notes.push(`its end cannot be known: ${why}`);
    this.#forced ??= 'lost';
    this.#killing ??= killTree(this.#ground, this.id, { process: null, mayRestart: false });
  }

  #force(reason: ExitReason, note: string): void {
    if (this.#forced !== null || this.#endedAt !== null) return;
    this.#forced = reason;
    this.#notes.push(note);
    const { sandbox, request, sentAtMs = this.#from } = this.#watched;
    const strays = sandbox.strays?.(sentAtMs, request.user) ?? null;
    this.#killing = killTree(this.#ground, this.id, { process: this.#process, strays });
    void this.#giveUpAfter(this.#killing);
  }

  get #ground(): UserSandbox {
    return this.#watched.place ?? this.#watched.sandbox;
  }

  async #giveUpAfter(killing: Promise<KillReport>): Promise<void> {
    await killing;
    if (!(await settledOrLate(this.#process.wait(), reportMs))) this.#givenUp.resolve(null);
  }

  #compose(
    end: ProcessEnd | null,
    report: KillReport | null,
    { outputs, backgroundOpen }: { readonly outputs: Outputs; readonly backgroundOpen: boolean },
  ): Exit {
    const { context } = this.#watched;
    const redactions = redactionsIn(this.#redactors);
    const notes = [
      ...this.#notes,
      this.#watched.note,
      this.#startNote(end),
      outputsNote(outputs),
      endedNote(this.#forced, end),
      redactionsNote(redactions, { reader: this.#isRaw }),
      ...this.#unreadNotes('stdout'),
      ...this.#unreadNotes('stderr'),
      report?.note,
      context.recorder?.note,
    ].filter((note) => typeof note === 'string');
    return exitOf({
      forced: this.#forced,
      end,
      durationMs: (this.#endedAt ?? performance.now()) - this.#from,
      stdout: this.#summary('stdout', outputs),
      stderr: this.#summary('stderr', outputs),
      backgroundOpen,
      survivors: report?.survivors ?? null,
      redactions,
      notes,
    });
  }

  #summary(name: StreamName, outputs: Outputs): StreamSummary {
    const { bytes, incomplete } = this.#taps[name];
    return summaryOf({ bytes, incomplete: incomplete || this.#missing(name) > 0 }, outputs);
  }

  #unreadNotes(name: StreamName): readonly string[] {
    return unreadNotes(name, { from: this.#taps[name].unreadFrom, missing: this.#missing(name) });
  }

  /** Bytes that the reader gets from the record alone. */
  #missing(name: StreamName): number {
    return this.#taps[name].isLeft ? (this.#watched.context.recorder?.missing[name] ?? 0) : 0;
  }

  /** A killed or lost command may have gone with its sandbox. */
  async #noteWhoEnded(end: ProcessEnd | null): Promise<void> {
    const wasKilled = end === null || end.signal !== null || end.exitCode === 137 || end.exitCode === 143;
    if (!wasKilled || (this.#forced !== null && this.#forced !== 'lost')) return;
    const note = await this.#watched.context.endedBy?.().catch(() => null);
    if (typeof note === 'string') this.#notes.push(note);
  }

  /** The program's name is part of the command, and so may hold a secret. */
  #startNote(end: ProcessEnd | null): string | null {
    const { request, context } = this.#watched;
    const name = request.command[0].slice(0, 200);
    return startNote(end, context.redaction?.text(name) ?? name);
  }

  get #lineEnd(): string {
    return this.#watched.request.tty === null ? '\n' : '\r\n';
  }

  async #record(exit: Exit): Promise<void> {
    const ending = this.#watched.context.recorder?.end(exit);
    if (ending !== undefined) await settledOrLate(ending, recordMs);
  }
}

function redactionsIn(redactors: readonly Redactor[]): number | null {
  return redactors.length === 0 ? null : redactors.reduce((sum, { counts }) => sum + counts.redactions, 0);
}
