/** The process of a command whose start failed after the request had left: it may run, and no handle of it exists. */
import { Readable } from 'node:stream';
import type { Outputs, Process, ProcessEnd } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import type { Forced } from './running.ts';

export class UnseenProcess implements Process {
  readonly stdin = null;
  readonly stdout = Readable.from([]);
  readonly stderr = Readable.from([]);
  readonly #error: CaissonError;

  constructor(error: CaissonError) {
    this.#error = error;
  }

  async wait(): Promise<ProcessEnd> {
    throw new CaissonError('unavailable', `the command may have run: ${this.#error.message}`, { cause: this.#error });
  }

  async outputs(): Promise<Outputs> {
    return { is: 'cut', why: 'the start of the command was given up' };
  }

  async kill(): Promise<void> {}

  release(): void {}
}

/** What the exit of such a command says. `null`: it is lost. */
export function forcedBy(error: CaissonError): Forced | null {
  const note = `killed: its start was given up after the request had been sent (${error.message.slice(0, 300)})`;
  if (error.code === 'canceled') return { reason: 'canceled', note };
  return error.code === 'timed_out' ? { reason: 'timed-out', note } : null;
}
