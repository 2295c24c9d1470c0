/** An exec that the service runs: its record is followed into two streams and an exit. */
import { CaissonError } from '../../errors.ts';
import type { Exit } from '../../values/exit.ts';
import { exitWithout, unreadNotes } from '../../values/outcome.ts';
import type { StreamName } from '../../values/exec-event.ts';
import type { LineObject } from '../wire/lines.ts';
import { pause } from '../wire/patience.ts';
import type { Ask, Wire } from '../wire/wire.ts';
import { followed } from '../wire/followed.ts';
import { eventIn, exitIn } from './events.ts';
import { Flow } from './flow.ts';

/** A reader that has begun and stops holds the stream back, and the exit behind it: then the exit is asked for. */
const stalledMs = 500;
const lookMs = 2000;

export interface Followed {
  readonly execId: string;
  /** Events of the answer to the request that started the command, after the first one. */
  readonly events: AsyncIterator<LineObject, void>;
  /** Ends the following. */
  readonly leave: () => void;
}

export class Following {
  readonly stdout = new Flow();
  readonly stderr = new Flow();
  readonly exit: Promise<Exit>;
  /** The last event, with what the service says beside the exit. `null`: the record had to be asked instead. */
  readonly last: Promise<LineObject | null>;
  readonly #wire: Wire;
  readonly #execId: string;
  readonly #settled = Promise.withResolvers<Exit>();
  readonly #ended = Promise.withResolvers<LineObject | null>();
  #isSettled = false;
  #isLooking = false;

  constructor(wire: Wire, { execId, events, leave }: Followed) {
    this.#wire = wire;
    this.#execId = execId;
    this.exit = this.#settled.promise;
    this.last = this.#ended.promise;
    // An abort costs a command that is short as much as all of its answer.
    void this.#follow(events).then(async (isWhole) => (isWhole ? await events.return?.() : leave()), leave);
  }

  ignore(stream?: StreamName): void {
    if (stream !== 'stderr') this.stdout.ignore();
    if (stream !== 'stdout') this.stderr.ignore();
  }

  async cancel(): Promise<void> {
    await this.#wire.json({ method: 'DELETE', path: `/v1/execs/${this.#execId}`, repeatable: true });
    void this.#look();
    await this.exit;
  }

  /** Whether it came to its end. */
  async #follow(events: AsyncIterator<LineObject, void>): Promise<boolean> {
    let missing = 0;
    try {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        const recorded = eventIn(next.value);
        const event = recorded?.event;
        if (event?.type === 'gap') missing += event.bytes;
        if (event?.type === 'stdout' || event?.type === 'stderr')
          await this.#push(event.type, event.bytes, recorded?.seq ?? 0);
        if (event?.type !== 'exit') continue;
        this.#settle(this.#noted(withGap(event.exit, missing)), next.value);
        return true;
      }
      this.#settle(exitWithout('lost', 'its record ends before its end'), null);
    } catch (error) {
      const why = error instanceof CaissonError ? error.message.slice(0, 300) : 'unknown';
      this.#settle(exitWithout('lost', `its record cannot be followed: ${why}`), null);
    } finally {
      this.stdout.end();
      this.stderr.end();
    }
    return false;
  }

  async #push(name: StreamName, bytes: Uint8Array, seq: number): Promise<void> {
    const full = this[name].push(bytes, () => this.#rest(name, seq));
    if (full === null) return;
    const timer = setTimeout(() => void this.#look(), stalledMs);
    await full;
    clearTimeout(timer);
  }

  /** Bytes of a stream in the record that follow an event. */
  async *#rest(name: StreamName, after: number): AsyncGenerator<Uint8Array, void, void> {
    const ask = (from: number): Ask => ({ method: 'GET', path: `/v1/execs/${this.#execId}`, query: { after: from } });
    const how = { first: ask(after), next: ask, after, isLast: ({ type }: LineObject) => type === 'exit' };
    for await (const sent of followed(this.#wire, how)) {
      const event = eventIn(sent)?.event;
      if (event?.type === name) yield event.bytes;
    }
  }

  #noted(exit: Exit): Exit {
    const notes = (['stdout', 'stderr'] as const).flatMap((name) =>
      unreadNotes(name, { from: this[name].unreadFrom, missing: 0 }),
    );
    return notes.length === 0 ? exit : { ...exit, notes: [...exit.notes, ...notes] };
  }

  /** Asks for the exit, until it is there. What fails here shows in the stream too. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (!this.#isSettled && !this.#wire.closing.aborted) {
      const exit = await this.#asked().catch(() => null);
      if (exit !== null) this.#settle(exit, null);
      else await pause(lookMs, this.#wire.closing).catch(() => undefined);
    }
  }

  async #asked(): Promise<Exit | null> {
    const found = await this.#wire.json({ method: 'GET', path: `/v1/execs/${this.#execId}` });
    const exit: unknown = Reflect.get(Object(found), 'exit');
    return exit === null ? null : exitIn(exit);
  }

  #settle(exit: Exit, last: LineObject | null): void {
    this.#isSettled = true;
    this.#settled.resolve(exit);
    this.#ended.resolve(last);
  }
}

function withGap(exit: Exit, missing: number): Exit {
  return missing === 0
    ? exit
    : { ...exit, notes: [...exit.notes, `${missing} bytes of its output are not in the record any more`] };
}
