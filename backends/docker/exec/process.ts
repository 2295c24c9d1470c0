/** One exec in a container: its streams, its end, its signals. */
import type { Readable, Writable } from 'node:stream';
import type { NotStarted, Outputs, ProcessEnd, PtyProcess } from '../../../src/backend.ts';
import { isCode, toCaissonError } from '../../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../../shared/abort.ts';
import { delay } from '../engine/delay.ts';
import type { Channel } from './channel.ts';
import { inspectExec, type Ending } from './ending.ts';
import { resizeExec, startExec, type Command, type Container, type StartOptions, type AcceptedExec } from './start.ts';
import { linesOf } from '../engine/lines.ts';
import { checkSignal, sendSignal, type Run } from './signal.ts';

/** A stream that ends later than this after the end may have been cut by the engine. */
const believedMs = 1500;
/** The engine ends every stream within about two seconds of the end. */
const openStreamMs = 5000;
const abortTimeoutMs = 5000;
const maxKillTries = 30;
const killPauseMs = 50;
const maxPidTries = 50;
const pidPauseMs = 20;

export class ExecProcess implements PtyProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #container: Container;
  readonly #execId: string;
  readonly #mark: string;
  readonly #ending: Ending;
  readonly #channel: Channel;
  readonly #classify: StartOptions['classify'];
  #classified: Promise<NotStarted | null> | null = null;

  private constructor(
    container: Container,
    { execId, mark, ending, channel }: AcceptedExec,
    classify: StartOptions['classify'],
  ) {
    this.#container = container;
    this.#execId = execId;
    this.#mark = mark;
    this.#ending = ending;
    this.#channel = channel;
    this.#classify = classify;
    this.stdin = channel.stdin;
    this.stdout = channel.stdout;
    this.stderr = channel.stderr;
  }

  static async start(container: Container, command: Command, options: StartOptions): Promise<ExecProcess> {
    throwIfAborted(options);
    const starting = startExec(container, command, options).then(
      (started) => new ExecProcess(container, started, options.classify),
    );
    return untilAborted(starting, options.signal, (process) => void process.#end());
  }

  async wait(): Promise<ProcessEnd> {
    const end = await this.#ending.promise;
    if (end.notStarted === undefined || this.#classify === undefined) return end;
    this.#classified ??= this.#classify();
    const notStarted = (await this.#classified) ?? end.notStarted;
    return { ...end, exitCode: notStarted === 'not-found' ? 127 : 126, notStarted };
  }

  /**
   * The engine gives streams two seconds after the end of a process, then drops what is left and ends them cleanly. So a
   * clean end is believed only where nothing held the connection up after the end was known, and it came soon.
   */
  async outputs(): Promise<Outputs> {
    const lost = await this.#ending.promise.then(
      () => null,
      (error: unknown) => toCaissonError(error).message,
    );
    const closed = await Promise.race([this.#channel.closed, delay(openStreamMs).then(() => null)]);
    if (closed === null)
      return { is: 'unknown', why: 'a stream stays open, and the engine does not report which process holds it' };
    if (closed.fault !== null) return { is: 'cut', why: closed.fault };
    if (lost !== null) return { is: 'cut', why: lost };
    if (this.#ending.ranOn)
      return { is: 'cut', why: `its streams ended after ${closed.bytes} bytes, before the command` };
    const { endKnownAt } = this.#ending;
    if (closed.at <= endKnownAt + believedMs && closed.heldAt < endKnownAt) return { is: 'ended' };
    return { is: 'unknown', why: 'its streams were read late, and the engine drops what is read late' };
  }

  async kill(signal: string): Promise<void> {
    checkSignal(signal);
    try {
      await this.#deliver(signal);
    } catch (error) {
      // The sandbox is gone or stopped, and every process with it.
      if (!isCode(error, 'not_found') && !isCode(error, 'failed_precondition')) throw error;
    }
  }

  async #deliver(signal: string): Promise<void> {
    const run: Run = (command, env) => readFirstLine(this.#container, command, env);
    for (let tries = 0; !this.#ending.over && tries < maxKillTries; tries += 1) {
      if (await sendSignal(run, this.#mark, signal)) break;
      if (!(await this.#mayBegin(tries))) break;
      await delay(killPauseMs);
    }
    this.#ending.urged();
  }

  /**
   * An exec is accepted some time before its process is there. One that has a pid, but is not found even so, is either
   * just about to become the command, or was ended a moment ago.
   */
  async #mayBegin(tries: number): Promise<boolean> {
    if (this.#ending.over) return false;
    const state = await inspectExec(this.#container.engine, this.#execId);
    return state.running && (!state.pid || tries < 3);
  }

  /** Pid on the engine's host of a command that has begun: the engine may know it a little later. `null`: it has ended. */
  async pid(): Promise<number | null> {
    for (let tries = 0; !this.#ending.over && tries < maxPidTries; tries += 1) {
      const { pid } = await inspectExec(this.#container.engine, this.#execId);
      if (pid) return pid;
      await delay(pidPauseMs);
    }
    return null;
  }

  /**
   * A live command keeps its connection, read into nothing, until it has ended: without one the engine would forget the
   * command at its next output, and with it how it ended.
   */
  release(): void {
    this.#channel.discard();
    const free = (): void => this.#channel.release();
    if (this.#ending.over) free();
    else this.wait().then(free, free);
  }

  async resize(columns: number, rows: number): Promise<void> {
    if (this.#ending.over) return;
    await resizeExec(this.#container.engine, this.#execId, { columns, rows });
  }

  /** Ends an aborted start: the command may begin a moment after the first signal, so the signal is sent until it counts. */
  async #end(): Promise<void> {
    this.release();
    const deadline = performance.now() + abortTimeoutMs;
    while (!this.#ending.over && performance.now() < deadline) {
      // A kill that fails is tried again; after the deadline the tree is core's to find by its mark.
      await this.kill('SIGKILL').catch(() => {});
      await Promise.race([this.wait().catch(() => {}), delay(100)]);
    }
  }
}

/** Does not wait for the end of the command, which may be held up by the very one that is to be killed. */
async function readFirstLine(
  container: Container,
  command: Command,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const process = await ExecProcess.start(container, command, { cwd: '/', env, stdin: false, terminal: null });
  process.stderr.resume();
  try {
    for await (const line of linesOf(process.stdout)) return line;
    return null;
  } finally {
    process.release();
  }
}
