/** Asks the script of a watch, and reads what it answers. What comes unasked is a lie of the sandbox, and ends the conversation. */
import type { Process } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { type Answer, AnswerReader, listingError } from './listing.ts';

type WatchAnswer = Answer | null | CaissonError;

export class Answers {
  readonly #process: Process;
  readonly #reader = new AnswerReader();
  #take: ((said: WatchAnswer) => void) | null = null;
  /** What comes last, for all questions to come. */
  #last: Exclude<WatchAnswer, Answer> | undefined;

  constructor(process: Process) {
    this.#process = process;
    // A closed pipe means that the script has ended, which its stdout says too.
    process.stdin?.on('error', () => {});
    process.stdout
      .on('data', (chunk: Buffer) => this.#hear(chunk))
      .on('error', (cause) => this.end(watchBrokenError(cause)))
      .on('end', () => this.end(null));
    // Others may hold the streams of a process that has ended.
    process
      .wait()
      .then(() => process.outputs())
      .then(
        () => this.end(null),
        () => this.end(null),
      );
  }

  /** `null`: the script has ended. */
  async ask(): Promise<Answer | null> {
    const said = await new Promise<WatchAnswer>((resolve) => {
      if (this.#last !== undefined) return resolve(this.#last);
      this.#take = resolve;
      this.#process.stdin?.write('\n');
    });
    if (said instanceof CaissonError) throw said;
    return said;
  }

  #hear(chunk: Buffer): void {
    // Once it has ended, nothing is kept.
    if (this.#last !== undefined) return;
    try {
      const answer = this.#reader.push(chunk);
      if (this.#take === null) throw listingError();
      if (answer === null) return;
      this.#take(answer);
      this.#take = null;
    } catch (error) {
      this.#process.stdout.destroy();
      this.end(error instanceof CaissonError ? error : watchBrokenError(error));
    }
  }

  /** For the question under way, and all to come. */
  end(last: Exclude<WatchAnswer, Answer>): void {
    if (this.#last === undefined) this.#last = last;
    this.#take?.(this.#last);
    this.#take = null;
  }
}

function watchBrokenError(cause: unknown): CaissonError {
  return new CaissonError('unavailable', 'the connection to the sandbox broke while a directory was watched', {
    cause,
    remedy: 'list the directory, and watch it again',
  });
}
