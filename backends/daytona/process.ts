/** One command in the sandbox: its streams, its end, its signals. */
import { constants } from 'node:os';
import { type Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outputs, Process, ProcessEnd } from '../../src/backend.ts';
import { CaissonError, toCaissonError } from '../../src/errors.ts';
import { Output } from '../shared/output.ts';
import { endOf } from '../shared/outputs.ts';
import type { Conversation } from './conversation.ts';

const bufferBytes = 64 * 1024;
/** What is on its way arrives within this time, unless a stream is held. */
const openStreamMs = 2000;
const lookMs = 200;

export interface ProcessId {
  readonly pid: number;
  /** Start time in clock ticks (proc(5)): the same pid with another one is another process. */
  readonly born: string;
}

export class CarriedProcess implements Process {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The shell's answer: that it is about to become the command, or why not. */
  readonly head: Promise<string>;
  readonly #conversation: Conversation;
  readonly #outputs: readonly Output[];
  #id: ProcessId | null = null;
  #over = false;

  constructor(conversation: Conversation, { nonce, stdin }: { readonly nonce: string; readonly stdin: boolean }) {
    this.#conversation = conversation;
    const stdout = new Output(conversation.stdout.stream, nonce, noShellError);
    const stderr = new Output(conversation.stderr.stream, nonce, noShellError);
    this.#outputs = [stdout, stderr];
    this.stdout = stdout.stream;
    this.stderr = stderr.stream;
    this.head = stdout.head;
    this.stdin = stdin ? writer(conversation) : null;
    const over = (): void => this.#ended();
    conversation.exit.then(over, over);
    void endOf([conversation.stdout.stream, conversation.stderr.stream])
      .then(() => conversation.exit)
      .then(
        () => conversation.close(),
        () => undefined,
      );
  }

  /** Known from the head on. */
  set id(id: ProcessId) {
    this.#id = id;
  }

  /** Places like this report 128 and the number of a signal alike with an exit code. */
  async wait(): Promise<ProcessEnd> {
    const code = await this.#conversation.exit;
    if (code > 255)
      throw new CaissonError('unavailable', `the sandbox reported an exit code that there is not: ${code}`, {});
    return { exitCode: code, signal: null, outOfMemory: false };
  }

  /** A stream ends by a chunk of its own, in its order: one that ended is whole. */
  async outputs(): Promise<Outputs> {
    const cut = await this.#conversation.exit.then(
      () => null,
      (error: unknown): Outputs => ({ is: 'cut', why: toCaissonError(error).message }),
    );
    if (cut !== null) return cut;
    const ended = endOf([this.stdout, this.stderr]);
    for (;;) {
      const streams = await Promise.race([ended, sleep(lookMs, null, { ref: false })]);
      if (streams !== null) return streams;
      if (this.#isSettled())
        return { is: 'unknown', why: 'a stream stays open, and it is not known which process holds it' };
    }
  }

  async kill(signal: string): Promise<void> {
    if (!Object.hasOwn(constants.signals, signal))
      throw new CaissonError('invalid_argument', `there is no signal ${JSON.stringify(signal.slice(0, 20))}`, {});
    if (this.#over || this.#id === null) return;
    this.#conversation.outbox.signal(signal.slice('SIG'.length), this.#id.pid, this.#id.born);
  }

  /** A live command keeps its connection, read into nothing: without one its end would not be known. */
  release(): void {
    this.stdin?.destroy();
    for (const { stream } of this.#outputs) stream.destroy();
    const close = (): void => this.#conversation.close();
    this.#conversation.exit.then(close, close);
  }

  #isSettled(): boolean {
    const { stdout, stderr, quietMs } = this.#conversation;
    const isRead = [this.stdout, this.stderr].every((stream) => stream.readableLength === 0);
    return isRead && !stdout.waits && !stderr.waits && quietMs > openStreamMs;
  }

  #ended(): void {
    this.#over = true;
    this.#conversation.outbox.give();
    this.stdin?.destroy();
  }
}

function writer({ outbox }: Conversation): Writable {
  const stdin = new Writable({
    highWaterMark: bufferBytes,
    write: (chunk: Buffer, _encoding, done) => outbox.input(chunk, done),
    final: (done) => {
      outbox.end();
      done();
    },
    destroy: (error, done) => {
      if (!stdin.writableFinished) outbox.end();
      done(error);
    },
  });
  // The command may close its end at any time; by the contract that does not count as a failure.
  stdin.on('error', () => undefined);
  return stdin;
}

function noShellError(): CaissonError {
  return new CaissonError('unavailable', 'no shell started for the command in the Daytona sandbox', {
    remedy: 'see whether the image has /bin/sh, and room in /dev/shm or /tmp',
  });
}
