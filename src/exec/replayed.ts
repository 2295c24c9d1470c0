/** An exec as its record has it: from the beginning, followed to its end. The exit says what is missing in the record. */
import { Readable } from 'node:stream';
import { CaissonError } from '../errors.ts';
import type { Exit } from './exit.ts';
import type { Journal } from './journal/types.ts';
import { exitWithout } from './outcome.ts';
import type { ExecEvent, Execution, StreamName, Where } from './types.ts';

const bufferBytes = 256 * 1024;

export interface Replayed extends Execution {
  readonly where: Where;
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
  const replay = new Replay();
  const exit = replay.play(events);
  return {
    ...{ id, where: first.event.where, stdin: null, stdout: replay.out('stdout'), stderr: replay.out('stderr'), exit },
    ignore: (stream) => replay.ignore(stream),
    cancel: async () => {
      await cancel();
      await exit;
    },
  };
}

class Replay {
  readonly #streams = { stdout: new Flow(), stderr: new Flow() };

  out(name: StreamName): Readable {
    return this.#streams[name].readable;
  }

  ignore(stream?: StreamName): void {
    if (stream !== 'stderr') this.#streams.stdout.ignore();
    if (stream !== 'stdout') this.#streams.stderr.ignore();
  }

  async play(events: AsyncIterable<ExecEvent>): Promise<Exit> {
    let missing = 0;
    try {
      for await (const { event } of events) {
        if (event.type === 'stdout' || event.type === 'stderr') await this.#streams[event.type].push(event.bytes);
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
      for (const flow of Object.values(this.#streams)) flow.end();
    }
  }
}

function withGap(exit: Exit, missing: number): Exit {
  return missing === 0
    ? exit
    : { ...exit, notes: [...exit.notes, `${missing} bytes of its output are not in the record any more`] };
}

/** One stream; its writer waits for its reader. */
class Flow {
  #wanted = (): void => {};
  #ignored = false;
  readonly readable = new Readable({
    highWaterMark: bufferBytes,
    read: () => this.#wanted(),
    destroy: (error, done) => {
      this.ignore();
      done(error);
    },
  });

  async push(bytes: Uint8Array): Promise<void> {
    if (this.#ignored || this.readable.push(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#wanted = resolve;
    });
  }

  ignore(): void {
    if (!this.#ignored) this.end();
    this.#ignored = true;
    this.#wanted();
  }

  end(): void {
    if (!this.#ignored && !this.readable.destroyed) this.readable.push(null);
  }
}
