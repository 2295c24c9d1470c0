/** A process whose every step is reported by the test: for edges that real processes reach only by luck. */
import { PassThrough, type Writable } from 'node:stream';
import type { Outputs, Process, ProcessEnd, Sandbox } from '../../src/backend.ts';

export class ScriptedProcess implements Process {
  readonly stdin: Writable | null = null;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly signals: string[] = [];
  released = false;
  readonly #end = Promise.withResolvers<ProcessEnd>();
  readonly #proof = Promise.withResolvers<Outputs>();

  wait(): Promise<ProcessEnd> {
    return this.#end.promise;
  }

  outputs(): Promise<Outputs> {
    return this.#proof.promise;
  }

  async kill(signal: string): Promise<void> {
    this.signals.push(signal);
  }

  release(): void {
    this.released = true;
  }

  /** The process ends; its streams do not. */
  exit(end: Partial<ProcessEnd> = {}): void {
    this.#end.resolve({ exitCode: 0, signal: null, outOfMemory: false, ...end });
  }

  lose(error: Error): void {
    this.#end.reject(error);
  }

  /** The proof of its output; only the first counts. */
  prove(outputs: Outputs): void {
    this.#proof.resolve(outputs);
  }

  endStreams(): void {
    this.stdout.end();
    this.stderr.end();
    this.prove({ is: 'ended' });
  }
}

/** Gives the scripted process to the first exec; everything after it, such as the kill script, is refused with `error`. */
export function scriptedSandbox(process: ScriptedProcess, error: Error, parts: Partial<Sandbox> = {}): Sandbox {
  let given = false;
  return {
    ref: { v: 1 },
    state: 'running',
    place: { host: null, resource: 'test', imageDigest: null },
    exec: async () => {
      if (given) throw error;
      given = true;
      return process;
    },
    destroy: async () => {},
    ...parts,
  };
}
