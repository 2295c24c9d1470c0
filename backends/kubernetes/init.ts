/** The first process of a pod, attached: what it says and reads, from its first byte on. */
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Outputs, Process, ProcessEnd } from '../../src/backend.ts';
import { CaissonError, toCaissonError } from '../../src/errors.ts';
import { endOf } from '../shared/outputs.ts';
import { plainInput } from './input.ts';
import type { Wire } from './wire.ts';

interface Streams {
  readonly wire: Wire;
  readonly stdout: Readable;
}

export class InitProcess implements Process {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #wire: Wire;
  readonly #end: Promise<ProcessEnd>;

  /** `explained`: what became of its pod, when its end says nothing. */
  constructor({ wire, stdout }: Streams, explained: (end: Promise<number>) => Promise<ProcessEnd>) {
    this.#wire = wire;
    this.#end = explained(wire.end);
    this.#end.catch(() => undefined);
    wire.breakWith(this.#end);
    this.stdin = plainInput(wire);
    this.stdout = stdout;
    this.stderr = wire.stderr;
  }

  async wait(): Promise<ProcessEnd> {
    return await this.#end;
  }

  async outputs(): Promise<Outputs> {
    return await this.#end.then(
      () => endOf([this.stdout, this.stderr]),
      (error: unknown): Outputs => ({ is: 'cut', why: toCaissonError(error).message }),
    );
  }

  /** Ends by the end of its sandbox alone: nothing in a pod can end its first process. */
  async kill(signal: string): Promise<void> {
    if (!Object.hasOwn(constants.signals, signal))
      throw new CaissonError('invalid_argument', `there is no signal ${JSON.stringify(signal.slice(0, 20))}`);
  }

  /** Its stdin stays open: the cluster holds it. */
  release(): void {
    this.#wire.close();
  }
}
