/** The stdin and the terminal of an exec that the service runs, through a socket that is opened when it is first needed. */
import { CaissonError } from '../../errors.ts';
import type { ByteSink } from '../types.ts';
import type { WireSocket } from '../transport.ts';
import { isAway } from '../wire/away.ts';
import { eventError } from '../wire/problem.ts';
import type { Wire } from '../wire/wire.ts';

/** The service takes frames of a megabyte. */
const frameBytes = 256 * 1024;
const encoder = new TextEncoder();

export interface InputOptions {
  readonly execId: string;
  /** A terminal: a person sees what did not arrive. For anything else a lost connection is the end of the input. */
  readonly reopens: boolean;
  readonly signal?: AbortSignal;
}

export class Input implements ByteSink {
  readonly #wire: Wire;
  readonly #options: InputOptions;
  #socket: Promise<WireSocket> | null = null;
  #failure: CaissonError | null = null;
  #isEnded = false;
  /** What was asked before: writes keep their order. */
  #last: Promise<void> = Promise.resolve();

  constructor(wire: Wire, options: InputOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  async write(bytes: Uint8Array | string): Promise<void> {
    if (this.#isEnded) throw new CaissonError('failed_precondition', 'the input was ended before');
    const all = typeof bytes === 'string' ? encoder.encode(bytes) : bytes;
    await this.#inTurn(async () => {
      for (let at = 0; at < all.length; at += frameBytes) await this.#send(all.subarray(at, at + frameBytes));
    });
  }

  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#inTurn(async () => await this.#send('{"type":"end"}'));
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#inTurn(async () => await this.#send(JSON.stringify({ type: 'resize', columns, rows })));
  }

  /** The command has ended. */
  close(): void {
    this.#isEnded = true;
    this.#failure ??= new CaissonError('failed_precondition', 'the command has ended');
    this.#socket?.then((socket) => socket.close()).catch(() => undefined);
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    await turn;
  }

  async #send(message: string | Uint8Array): Promise<void> {
    this.#check();
    try {
      await (await this.#open()).send(message);
    } catch (error) {
      throw this.#lost(error);
    }
    this.#check();
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  #open(): Promise<WireSocket> {
    return (this.#socket ??= this.#opened());
  }

  async #opened(): Promise<WireSocket> {
    const { execId, signal } = this.#options;
    const patience = this.#wire.patience();
    for (;;) {
      try {
        const socket = await this.#wire.open(`/v1/execs/${execId}/stdin`, signal);
        void this.#watch(socket);
        return socket;
      } catch (error) {
        if (!isAway(error)) throw error;
        await patience.wait(error, signal);
      }
    }
  }

  /** The service says why it takes no more, or that the command has ended. */
  async #watch(socket: WireSocket): Promise<void> {
    try {
      for await (const message of socket.messages) {
        const error = inputRefusedError(message);
        if (error !== null) this.#failure ??= error;
      }
    } catch (error) {
      this.#lost(error);
    }
  }

  #lost(error: unknown): unknown {
    this.#socket = null;
    if (this.#options.reopens || !isAway(error)) return error;
    return (this.#failure ??= new CaissonError(
      'unavailable',
      'the connection of the input was lost: how much of it the command has got is not known',
      { cause: error, remedy: 'cancel the command, or send the input as `input` of a run' },
    ));
  }
}

/** `null`: another message. */
function inputRefusedError(message: string | Uint8Array): CaissonError | null {
  if (typeof message !== 'string') return null;
  try {
    const event: unknown = JSON.parse(message);
    return Reflect.get(Object(event), 'type') === 'error' ? eventError(Reflect.get(Object(event), 'error')) : null;
  } catch {
    return null;
  }
}
