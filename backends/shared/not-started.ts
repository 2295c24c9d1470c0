/** The process of a program that never ran: its end says why, and its streams are empty. */
import { Readable, Writable } from 'node:stream';
import type { NotStarted, Outputs, Process, ProcessEnd } from '../../src/backend.ts';

const codes: Readonly<Record<NotStarted, number>> = { 'not-found': 127, 'not-executable': 126 };

export class NotStartedProcess implements Process {
  readonly stdin: Writable | null;
  readonly stdout = Readable.from([]);
  readonly stderr = Readable.from([]);
  readonly #why: NotStarted;

  constructor(why: NotStarted, stdin: boolean) {
    this.#why = why;
    this.stdin = stdin ? new Writable({ write: (_chunk, _encoding, done) => done() }) : null;
  }

  async wait(): Promise<ProcessEnd> {
    return { exitCode: codes[this.#why], signal: null, outOfMemory: false, notStarted: this.#why };
  }

  async outputs(): Promise<Outputs> {
    return { is: 'ended' };
  }

  async kill(): Promise<void> {}

  release(): void {}
}
