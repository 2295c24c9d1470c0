/**
 * Hands the output of a collected run to its callbacks while it comes: the answer has the result alone, and the record, which
 * begins with the command, has the output.
 */
import { isCode } from '../../errors.ts';
import { Ear, type Hearing } from '../../exec/heard.ts';
import type { StreamName } from '../../values/exec-event.ts';
import { followed } from '../wire/followed.ts';
import { pause } from '../wire/patience.ts';
import type { Ask, Wire } from '../wire/wire.ts';
import { eventIn } from './events.ts';

/** How often it is looked whether the command has begun. */
const lookMs = 100;

export interface ListeningTo {
  readonly execId: string;
  readonly hearing: Hearing;
  /** Fires when the run has its result, or has failed. */
  readonly signal: AbortSignal;
}

export class Listening {
  /** Notes about the callbacks for the exit, once each callback has got all output. Never rejects. */
  readonly notes: Promise<readonly (string | null)[]>;
  readonly #wire: Wire;
  readonly #to: ListeningTo;
  readonly #ears: Readonly<Record<StreamName, Ear | null>>;

  constructor(wire: Wire, to: ListeningTo) {
    const { onStdout, onStderr } = to.hearing;
    this.#wire = wire;
    this.#to = to;
    this.#ears = {
      stdout: onStdout === undefined ? null : new Ear('onStdout', onStdout),
      stderr: onStderr === undefined ? null : new Ear('onStderr', onStderr),
    };
    const ears = Object.values(this.#ears).filter((ear) => ear !== null);
    const listening = ears.length === 0 ? Promise.resolve() : this.#listen();
    this.notes = listening
      .catch((error: unknown) => ears.forEach((ear) => ear.fail(error)))
      .then(() => ears.map(({ note }) => note));
  }

  async #listen(): Promise<void> {
    const { signal } = this.#to;
    for (;;) {
      try {
        return await this.#follow();
      } catch (error) {
        if (!isCode(error, 'not_found')) throw error;
      }
      await pause(lookMs, signal);
    }
  }

  async #follow(): Promise<void> {
    const { execId, signal } = this.#to;
    const ask = (after: number): Ask => ({
      method: 'GET',
      path: `/v1/execs/${execId}`,
      query: { after: after === 0 ? undefined : after },
      signal,
    });
    const how = {
      first: ask(0),
      next: ask,
      signal,
      isLast: ({ type }: Readonly<Record<string, unknown>>) => type === 'exit',
    };
    for await (const sent of followed(this.#wire, how)) {
      const event = eventIn(sent)?.event;
      if (event?.type === 'stdout' || event?.type === 'stderr') await this.#ears[event.type]?.take(event.bytes);
    }
  }
}
