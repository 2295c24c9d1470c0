/**
 * How an exec ends. Normally the event stream says it, a moment after the output has ended. There are six ways around:
 *
 *   - A background child holds the output. The engine then waits two seconds before it sends the event, but moby 20.10
 *     answers an inspect at once (since 23 it holds a lock, so that the answer is as late as the event). So an exec
 *     without open stdin is inspected a few times after it has gone quiet.
 *   - The output has no reader. A dead exec whose bytes the engine cannot get rid of blocks the ends of all execs of its
 *     container, so one that is held is looked at too, and once it is over, or the engine does not answer, the rest is
 *     read in, up to a bound.
 *   - It never started: no event, exit code 126 or 127, and no pid.
 *   - The connection of the exec broke. When moby cannot write to it, it forgets the exec and writes down an end that
 *     was none: 126 for inspect, and 127 in the event when the command really ends. So a 126 of inspect is only believed
 *     when the event says so too, and a 127 of the event when inspect does.
 *   - The event stream broke, or cannot be trusted: inspect.
 *   - The container stopped or vanished: inspect, and when that tells no code, the end is lost.
 */
import type { NotStarted, ProcessEnd } from '../../../src/backend.ts';
import { CaissonError, isCode } from '../../../src/errors.ts';
import { delay } from '../engine/delay.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineEvent } from '../engine/events.ts';
import { flag, number, object } from '../engine/json.ts';

/** Milliseconds of quiet after which an exec is inspected; its event comes after two seconds in any case. */
const quietChecksMs = [150, 500, 1100];
/** An out-of-memory event may come after the end that it caused. */
const memoryGraceMs = 100;
const eventGraceMs = 30;
/** How long the event may come after an inspect that saw the end. */
const confirmMs = 3000;
const heldCheckMs = 700;
const heldTimeoutMs = 3000;
const vanishGraceMs = 200;

export interface ExecState {
  readonly running: boolean;
  readonly exitCode: number | null;
  readonly pid: number | null;
}

export async function inspectExec(engine: Engine, execId: string): Promise<ExecState> {
  const answer = object(
    await engine.ask({ what: 'look at the command', method: 'GET', path: `/exec/${execId}/json`, quiet: true }),
  );
  return { running: flag(answer['Running']), exitCode: number(answer['ExitCode']), pid: number(answer['Pid']) };
}

export interface EndingOptions {
  readonly engine: Engine;
  readonly container: string;
  readonly execId: string;
  /** Whether the container's events can be believed. */
  readonly trusted: boolean;
}

/** The exec's streams, as far as they tell something about its end. */
export interface Attached {
  readonly stdinOpen: boolean;
  /** The connection stands still because a reader does. */
  readonly held: boolean;
  /** Reads a bounded rest although it has no reader. */
  slacken(): void;
}

export class Ending {
  readonly promise: Promise<ProcessEnd>;
  readonly #options: EndingOptions;
  readonly #resolve: (end: ProcessEnd) => void;
  readonly #reject: (error: unknown) => void;
  readonly #unwatch: () => void;
  #over = false;
  #outOfMemory = false;
  #asking: Promise<void> | null = null;
  #lastActivity = 0;
  #timer: NodeJS.Timeout | null = null;
  #heldTimer: NodeJS.Timeout | null = null;
  #attached: Attached | null = null;
  #urgent = false;
  #streamsOver = false;
  #neverStarted = false;
  #endKnownAt = Infinity;
  /** Whether the engine saw the command running after the end of its streams. */
  #ranOn = false;

  constructor(options: EndingOptions) {
    this.#options = options;
    const { promise, resolve, reject } = Promise.withResolvers<ProcessEnd>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    // It may be lost before anyone waits for it.
    promise.catch(() => {});
    this.#unwatch = options.engine.events.watch(options.container, (event) => this.#hear(event));
  }

  get over(): boolean {
    return this.#over;
  }

  attached(streams: Attached): void {
    this.#attached = streams;
    const slacken = (): void => streams.slacken();
    this.promise.then(slacken, slacken);
    this.active();
  }

  /** Output or a start: the exec is alive now, so look again when it has been quiet for a while. */
  active(): void {
    this.#lastActivity = performance.now();
    if (!this.#timer && !this.#over) this.#plan(0);
  }

  /** It was killed: look soon, whatever else is to be seen. */
  urged(): void {
    this.#urgent = true;
    this.active();
  }

  held(): void {
    if (this.#heldTimer || this.#over) return;
    this.#heldTimer = setInterval(() => void this.#checkHeld(), heldCheckMs);
    this.#heldTimer.unref();
  }

  streamsEnded(): void {
    this.#streamsOver = true;
    void delay(eventGraceMs).then(() => this.#ask());
  }

  /** The runtime could not start the program. */
  neverStarted(): void {
    this.#neverStarted = true;
  }

  /** When the end of the command was known, by `performance.now()`. */
  get endKnownAt(): number {
    return this.#endKnownAt;
  }

  get ranOn(): boolean {
    return this.#ranOn;
  }

  /** The exec was never started. */
  abandon(error: CaissonError): void {
    this.#finish(() => this.#reject(error));
  }

  #hear(event: EngineEvent): void {
    if (this.#over) return;
    if (event.type === 'exec_die') this.#hearEnd(event.execId, event.exitCode);
    else if (event.type === 'oom') this.#outOfMemory = true;
    else if (event.type === 'reconnected') void this.#ask();
    else void this.#askLast(event.type);
  }

  #hearEnd(execId: string | null, exitCode: number | null): void {
    if (!this.#options.trusted) void this.#ask();
    else if (execId === this.#options.execId) void (exitCode === 127 ? this.#confirm127() : this.#ended(exitCode));
  }

  async #confirm127(): Promise<void> {
    const state = await inspectExec(this.#options.engine, this.#options.execId).catch(() => null);
    if (state?.exitCode === 127) await this.#ended(127);
    else this.#lose('the connection to the command broke, and the engine forgot it');
  }

  /** The container is gone or the engine is: what inspect does not know now will never be known. */
  async #askLast(why: 'die' | 'destroy' | 'lost'): Promise<void> {
    if (why !== 'lost') await delay(vanishGraceMs);
    await this.#ask();
    this.#lose(
      why === 'lost'
        ? 'the connection to the engine was lost while the command ran'
        : 'the sandbox ended while the command ran',
    );
  }

  #ask(): Promise<void> {
    if (this.#over) return Promise.resolve();
    this.#asking ??= this.#inspect().finally(() => (this.#asking = null));
    return this.#asking;
  }

  async #inspect(): Promise<void> {
    try {
      const state = await inspectExec(this.#options.engine, this.#options.execId);
      if (state.running && this.#streamsOver) this.#ranOn = true;
      if (state.running || state.exitCode === null) return;
      if (state.exitCode === 126 && state.pid && this.#streamsOver) await this.#await126();
      else await this.#ended(state.exitCode);
    } catch (error) {
      // Out of reach for now: the event stream comes back and asks again, or gives up and says so.
      if (isCode(error, 'not_found')) this.#lose('the engine does not know the command any more', error);
    }
  }

  async #await126(): Promise<void> {
    await delay(confirmMs);
    this.#lose('the connection to the command broke, and the engine forgot it');
  }

  async #ended(exitCode: number | null): Promise<void> {
    if (exitCode === 137 && !this.#outOfMemory) await delay(memoryGraceMs);
    const end = { exitCode, signal: null, outOfMemory: this.#outOfMemory };
    const why = this.#neverStarted ? notStarted(exitCode) : null;
    this.#finish(() => this.#resolve(why === null ? end : { ...end, notStarted: why }));
  }

  #lose(message: string, cause?: unknown): void {
    this.#finish(() => this.#reject(new CaissonError('unavailable', message, { cause })));
  }

  #finish(settle: () => void): void {
    if (this.#over) return;
    this.#over = true;
    this.#endKnownAt = performance.now();
    if (this.#timer) clearTimeout(this.#timer);
    this.#stopHeldChecks();
    this.#unwatch();
    settle();
  }

  #plan(index: number): void {
    const wait = quietChecksMs[index];
    this.#timer = null;
    if (wait === undefined || this.#over) return;
    this.#timer = setTimeout(() => this.#check(index, wait), wait - (quietChecksMs[index - 1] ?? 0));
    this.#timer.unref();
  }

  #check(index: number, wait: number): void {
    const quietMs = performance.now() - this.#lastActivity;
    if (quietMs + 5 < wait) {
      this.#plan(0);
      return;
    }
    if (this.#urgent || this.#attached?.stdinOpen !== true) void this.#ask();
    this.#plan(index + 1);
  }

  async #checkHeld(): Promise<void> {
    if (this.#attached?.held !== true) {
      this.#stopHeldChecks();
      return;
    }
    const patience = setTimeout(() => this.#attached?.slacken(), heldTimeoutMs);
    await this.#ask();
    clearTimeout(patience);
  }

  #stopHeldChecks(): void {
    if (this.#heldTimer) clearInterval(this.#heldTimer);
    this.#heldTimer = null;
  }
}

/** The codes of runc, which are those of a shell. */
function notStarted(exitCode: number | null): NotStarted | null {
  if (exitCode === 127) return 'not-found';
  return exitCode === 126 ? 'not-executable' : null;
}
