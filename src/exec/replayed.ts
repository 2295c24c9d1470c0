/** An exec as its record has it: from the beginning, followed to its end. The exit says what is missing in the record. */
import type { Readable } from 'node:stream';
import { CaissonError } from '../errors.ts';
import { given } from '../lib/given.ts';
import type { Exit } from '../values/exit.ts';
import type { Journal } from '../journal/types.ts';
import { exitWithout } from '../values/outcome.ts';
import { Outlet } from './outlet.ts';
import { recordedStream } from './recorded.ts';
import type { Execution } from './types.ts';
import type { ExecEvent, StreamName, Where } from '../values/exec-event.ts';

export interface Replayed extends Execution {
  readonly where: Where;
  readonly user?: string;
}

export interface Replaying {
  readonly signal?: AbortSignal;
  readonly cancel: () => Promise<void>;
}

/** Throws `not_found` for an id without a record. */
export async function replayExec(journal: Journal, id: string, { signal, cancel }: Replaying): Promise<Replayed> {
  const events = journal.read(id, { follow: true, ...(signal === undefined ? {} : { signal }) });
  const { value: first } = await events.next();
  if (first?.event.type !== 'started') {
    throw new CaissonError('failed_precondition', `${id} was started before, and the beginning of its record is gone`, {
      remedy: 'choose another id to run the command again',
    });
  }
  const replay = new Replay((name, from) => recordedStream(journal, id, { name, from }));
  const exit = replay.play(events);
  return {
    id,
    where: first.event.where,
    ...given({ user: first.event.user }),
    stdin: null,
    stdout: replay.out('stdout'),
    stderr: replay.out('stderr'),
    exit,
    ignore: (stream) => replay.ignore(stream),
    cancel: async () => {
      await cancel();
      await exit;
    },
  };
}

class Replay {
  readonly #flows: Readonly<Record<StreamName, Flow>>;

  constructor(recorded: (name: StreamName, from: number) => AsyncIterable<Uint8Array>) {
    const flowOf = (name: StreamName): Flow => new Flow((from) => recorded(name, from));
    this.#flows = { stdout: flowOf('stdout'), stderr: flowOf('stderr') };
  }

  out(name: StreamName): Readable {
    return this.#flows[name].outlet.readable;
  }

  ignore(stream?: StreamName): void {
    if (stream !== 'stderr') this.#flows.stdout.outlet.close();
    if (stream !== 'stdout') this.#flows.stderr.outlet.close();
  }

  async play(events: AsyncIterable<ExecEvent>): Promise<Exit> {
    let missing = 0;
    try {
      for await (const { event } of events) {
        if (event.type === 'stdout' || event.type === 'stderr') await this.#flows[event.type].push(event.bytes);
        if (event.type === 'gap') missing += event.bytes;
        if (event.type === 'exit') return withGap(event.exit, missing);
      }
      return exitWithout('lost', 'its record ends before its end');
    } catch (error) {
      return exitWithout(
        'lost',
        `its record cannot be followed: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown'}`,
      );
    } finally {
      for (const { outlet } of Object.values(this.#flows)) outlet.end();
    }
  }
}

function withGap(exit: Exit, missing: number): Exit {
  return missing === 0
    ? exit
    : { ...exit, notes: [...exit.notes, `${missing} bytes of its output are not in the record any more`] };
}

/** One stream; its writer waits for a reader that has begun. */
class Flow {
  readonly outlet: Outlet;
  #goOn = (): void => {};

  constructor(recorded: (from: number) => AsyncIterable<Uint8Array>) {
    this.outlet = new Outlet({ recorded, onRead: () => this.#goOn(), onGone: () => this.#goOn() });
  }

  async push(bytes: Uint8Array): Promise<void> {
    if (this.outlet.push(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
    });
  }
}
