/** Callbacks that get the output of a command as it comes, each piece once and in order. */
import type { Exit } from '../values/exit.ts';

/** A promise asks the next piece to wait. */
export type Hear = (bytes: Uint8Array) => unknown;

export interface Hearing {
  readonly onStdout?: Hear | undefined;
  readonly onStderr?: Hear | undefined;
}

interface Hearable {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly exit: Promise<Exit>;
}

/** Reads the streams that have a callback. The exit comes once all was handed over. */
export function heard<Running extends Hearable>(running: Running, { onStdout, onStderr }: Hearing): Running {
  if (onStdout === undefined && onStderr === undefined) return running;
  const { stdout, stderr } = running;
  const ears = [
    ...(onStdout === undefined ? [] : [handed(stdout, new Ear('onStdout', onStdout))]),
    ...(onStderr === undefined ? [] : [handed(stderr, new Ear('onStderr', onStderr))]),
  ];
  const exit = Promise.all([running.exit, ...ears]).then(([ended, ...notes]) => withNotes(ended, notes));
  return { ...running, exit };
}

async function handed(stream: AsyncIterable<Uint8Array>, ear: Ear): Promise<string | null> {
  try {
    for await (const bytes of stream) {
      await ear.take(bytes);
      if (ear.note !== null) break;
    }
  } catch (error) {
    ear.fail(error);
  }
  return ear.note;
}

export function withNotes(exit: Exit, notes: readonly (string | null)[]): Exit {
  const more = notes.filter((note) => note !== null);
  return more.length === 0 ? exit : { ...exit, notes: [...exit.notes, ...more] };
}

/** A callback that throws gets no more, and ends nothing: the exit says so. */
export class Ear {
  readonly #name: keyof Hearing;
  readonly #hear: Hear;
  #note: string | null = null;

  constructor(name: keyof Hearing, hear: Hear) {
    this.#name = name;
    this.#hear = hear;
  }

  get note(): string | null {
    return this.#note;
  }

  async take(bytes: Uint8Array): Promise<void> {
    if (this.#note !== null) return;
    try {
      await this.#hear(bytes);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    const why = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
    this.#note ??= `${this.#name} failed and was not called again: ${why}`;
  }
}
