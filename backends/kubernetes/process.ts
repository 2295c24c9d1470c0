/** One command in the pod: its streams, its end, its signals. */
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outputs, ProcessEnd, PtyProcess } from '../../src/backend.ts';
import { CaissonError, toCaissonError } from '../../src/errors.ts';
import { Output } from '../shared/output.ts';
import { endOf } from '../shared/outputs.ts';
import type { Wire } from './wire.ts';

/** What is on its way arrives within this time, unless a stream is held. */
const openStreamMs = 2000;

export interface ProcessId {
  readonly pid: number;
  /** Start time in clock ticks (proc(5)): the same pid with another one is another process. */
  readonly born: string;
}

export interface Carried {
  readonly wire: Wire;
  readonly nonce: string;
  readonly stdin: Writable | null;
  /** Sends a signal to the group of a process, unless the number belongs to another one by now. */
  readonly signaler: (id: ProcessId, signal: string) => Promise<void>;
  /** Why the socket closed without a status, and whether memory was the reason of an end. */
  readonly explained: (end: Promise<number>, close: () => void) => Promise<ProcessEnd>;
}

export class PodProcess implements PtyProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The shell's answer: that it is about to become the command, or why not. */
  readonly head: Promise<string>;
  readonly #carried: Carried;
  readonly #outputs: readonly Output[];
  readonly #end: Promise<ProcessEnd>;
  #over = false;
  #id: ProcessId | null = null;

  constructor(carried: Carried) {
    const { wire, nonce } = carried;
    this.#carried = carried;
    const stdout = new Output(wire.stdout, nonce, noShell);
    const stderr = new Output(wire.stderr, nonce, noShell);
    this.#outputs = [stdout, stderr];
    this.stdout = stdout.stream;
    this.stderr = stderr.stream;
    this.head = stdout.head;
    this.stdin = carried.stdin;
    this.#end = carried.explained(wire.end, () => wire.close());
    wire.breakWith(this.#end);
    const over = (): void => this.#ended();
    this.#end.then(over, over);
  }

  /** Known from the head on. */
  set id(id: ProcessId) {
    this.#id = id;
  }

  wait(): Promise<ProcessEnd> {
    return this.#end;
  }

  /** The cluster ends the socket after the last byte of both streams: one that ended with a status is whole, as far as it knows. */
  async outputs(): Promise<Outputs> {
    const cut = await this.#end.then(
      () => null,
      (error: unknown): Outputs => ({ is: 'cut', why: toCaissonError(error).message }),
    );
    if (cut !== null) return cut;
    const late = delay(openStreamMs, null, { ref: false });
    const streams = await Promise.race([endOf([this.stdout, this.stderr]), late]);
    return streams ?? { is: 'unknown', why: 'a stream stays open, and it is not known which process holds it' };
  }

  async kill(signal: string): Promise<void> {
    if (!Object.hasOwn(constants.signals, signal))
      throw new CaissonError('invalid_argument', `there is no signal ${JSON.stringify(signal.slice(0, 20))}`);
    if (this.#over || this.#id === null) return;
    await this.#carried.signaler(this.#id, signal);
  }

  /** A live command keeps its connection, read into nothing: without one its end would not be known. */
  release(): void {
    this.stdin?.destroy();
    for (const { stream } of this.#outputs) stream.destroy();
    const close = (): void => this.#carried.wire.close();
    this.#end.then(close, close);
  }

  async resize(columns: number, rows: number): Promise<void> {
    if (!this.#over) this.#carried.wire.resize(columns, rows);
  }

  #ended(): void {
    this.#over = true;
    this.stdin?.destroy();
  }
}

export function noShell(): CaissonError {
  return new CaissonError('unavailable', 'no shell started for the command in the pod', {
    remedy: 'see whether the image has /bin/sh, dd and setsid',
  });
}
