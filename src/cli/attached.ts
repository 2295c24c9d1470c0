/** A command that was started before, with what it writes and what is passed on to it. */
import { CaissonError, isCode, toCaissonError } from '../errors.ts';
import type { ExecEvent, Exit } from '../service/api.ts';
import type { Context } from './context.ts';
import { eventJson } from './event.ts';
import { formatBytes } from './format.ts';
import { lendScreen } from './terminal.ts';
import type { CommandApi } from './world.ts';

/** Until it ends or the caller leaves. */
export class Attached {
  readonly #service: CommandApi;
  readonly #id: string;
  readonly #context: Context;
  readonly #left = new AbortController();
  #isDetached = false;
  #giveBack = (): void => undefined;

  constructor(service: CommandApi, id: string, context: Context) {
    this.#service = service;
    this.#id = id;
    this.#context = context;
  }

  /** Whether it is a detached process whose input is open. */
  async find(): Promise<boolean> {
    const found = await this.#service.processes.get(this.#id, this.#context.options).catch((error: unknown) => {
      if (isCode(error, 'not_found')) return null; // an exec, or nothing: its record says which
      throw error;
    });
    if (found === null) await this.#service.execs.get(this.#id, this.#context.options);
    this.#isDetached = found !== null;
    return found?.inputOpen === true;
  }

  /** `null`: the caller has left before its end. */
  async read(): Promise<Exit | null> {
    const { signal } = this.#left;
    try {
      return await this.#events(signal);
    } finally {
      this.#giveBack();
    }
  }

  async #events(signal: AbortSignal): Promise<Exit | null> {
    try {
      for await (const event of this.#service.execs.logs(this.#id, { follow: true }, { signal })) {
        await this.#show(event);
        if (event.event.type === 'exit') return event.event.exit;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (signal.aborted) return null;
    throw new CaissonError('unavailable', `the record of ${this.#id} ends before its command`, {
      remedy: 'attach again',
    });
  }

  async #show(event: ExecEvent): Promise<void> {
    const { json, print, printJson, notice, world } = this.#context;
    const what = event.event;
    if (json) await printJson(eventJson(event));
    else if (what.type === 'started' && what.tty) this.#giveBack = lendScreen(this.#context);
    else if (what.type === 'stdout') await print(what.bytes);
    else if (what.type === 'stderr') world.stderr.write(what.bytes);
    else if (what.type === 'gap') notice(`${formatBytes(what.bytes)} of ${what.stream} are not kept`);
  }

  passInput(): void {
    const { signal } = this.#left;
    this.#service.processes.input(this.#id, this.#context.world.stdin, { signal }).catch((error: unknown) => {
      if (!signal.aborted) this.#context.notice(`the input is not passed on: ${toCaissonError(error).message}`);
    });
  }

  /** A terminal that is gone, or an output without a reader, does not ask for the end of the command. */
  async interrupt(leaves: boolean): Promise<void> {
    const name = leaves ? undefined : signalOf[this.#context.interrupted() ?? 0];
    if (name === undefined) return this.leave();
    try {
      await (this.#isDetached ? this.#service.processes.kill(this.#id, name) : this.#service.execs.cancel(this.#id));
    } catch (error) {
      this.#context.say(`the signal was not passed on: ${toCaissonError(error).message}`);
      this.leave();
    }
  }

  leave(): void {
    this.#left.abort(new CaissonError('canceled', 'the caller has left'));
  }
}

/** Names of signals by the exit code that each asks for. */
const signalOf: Readonly<Record<number, string>> = { 130: 'INT', 143: 'TERM' };
