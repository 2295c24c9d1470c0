/** The first process of a container, attached before it starts. */
import type { Readable, Writable } from 'node:stream';
import type { Outputs, Process, ProcessEnd } from '../../../src/backend.ts';
import { CaissonError, isCode } from '../../../src/errors.ts';
import { Channel } from '../exec/channel.ts';
import { inspectContainer } from './container.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineEvent } from '../engine/events.ts';
import { checkSignal } from '../exec/signal.ts';
import { endOf } from '../../shared/outputs.ts';

export class InitProcess implements Process {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #engine: Engine;
  readonly #container: string;
  readonly #channel: Channel;
  readonly #end = Promise.withResolvers<ProcessEnd>();
  readonly #unwatch: () => void;
  #outOfMemory = false;
  #over = false;

  private constructor(engine: Engine, container: string, channel: Channel) {
    this.#engine = engine;
    this.#container = container;
    this.#channel = channel;
    this.stdin = channel.stdin;
    this.stdout = channel.stdout;
    this.stderr = channel.stderr;
    // It may be lost before anyone waits for it.
    this.#end.promise.catch(() => {});
    this.#unwatch = engine.events.watch(container, (event) => this.#hear(event));
  }

  static async attach(engine: Engine, container: string): Promise<InitProcess> {
    const [connection] = await Promise.all([
      engine.hijack({
        what: 'attach to the sandbox',
        path: `/containers/${container}/attach?stream=1&stdin=1&stdout=1&stderr=1`,
      }),
      engine.events.ready(),
    ]);
    return new InitProcess(engine, container, new Channel(connection, { tty: false, stdin: true }));
  }

  wait(): Promise<ProcessEnd> {
    return this.#end.promise;
  }

  outputs(): Promise<Outputs> {
    return endOf([this.stdout, this.stderr]);
  }

  async kill(signal: string): Promise<void> {
    checkSignal(signal);
    if (this.#over) return;
    try {
      await this.#engine.ask({
        what: 'signal the sandbox',
        method: 'POST',
        path: `/containers/${this.#container}/kill`,
        query: { signal },
      });
    } catch (error) {
      // The process has ended, or its container is gone: nothing is left to signal.
      if (!isCode(error, 'not_found') && !isCode(error, 'failed_precondition')) throw error;
    }
  }

  release(): void {
    this.#channel.release();
  }

  #hear(event: EngineEvent): void {
    if (event.type === 'exec_die') return;
    if (event.type === 'oom') this.#outOfMemory = true;
    else void this.#look(event.type === 'reconnected' ? null : event.type);
  }

  /** `why` tells that there is nothing more to come. */
  async #look(why: 'die' | 'destroy' | 'lost' | null): Promise<void> {
    try {
      const { state, exitCode, outOfMemory } = await inspectContainer(this.#engine, this.#container);
      if (state === 'stopped')
        this.#finish(() =>
          this.#end.resolve({ exitCode, signal: null, outOfMemory: outOfMemory || this.#outOfMemory }),
        );
      else if (why === 'lost') this.#lose('the connection to the engine was lost', null);
    } catch (error) {
      if (why !== null || isCode(error, 'not_found'))
        this.#lose('the sandbox vanished before the end of its first process was known', error);
    }
  }

  #lose(message: string, cause: unknown): void {
    this.#finish(() => this.#end.reject(new CaissonError('unavailable', message, { cause })));
  }

  #finish(settle: () => void): void {
    if (this.#over) return;
    this.#over = true;
    this.#unwatch();
    settle();
  }
}
