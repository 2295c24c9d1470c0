/** The child of a lane that waits for a request, as the lane tells of it. */
import { newNonce } from '../random.ts';
import { Exchange } from './exchange.ts';
import { readyForm } from './protocol.ts';
import { encodeReady } from './request.ts';

export class ReadyChild {
  readonly tag: string;
  /** Nonce of the message with its pid, and of both marks of its command. */
  readonly nonce = newNonce();
  /** `null` before the lane has said it. */
  pid: number | null = null;
  readonly #since = performance.now();

  /** `number`: of children that its lane has had. */
  constructor(number: number) {
    this.tag = `r${number}`;
  }

  get request(): Buffer {
    return encodeReady({ tag: this.tag, nonce: this.nonce });
  }

  /** For how long it has been there, or on its way. */
  get sinceMs(): number {
    return performance.now() - this.#since;
  }

  /**
   * Hears which process it is; `isTrue` where nothing else was heard. Where a command comes before that word, the word is dropped
   * as what comes before the opening mark of a command.
   */
  listen(heard: (isTrue: boolean) => void): Exchange {
    return new Exchange(
      { nonce: this.nonce, form: readyForm, isOnStdoutAlone: true },
      {
        deliver: () => heard(false),
        ended: (trailer, { stdout }) => {
          this.pid = Number(trailer.slice(1));
          heard(stdout.length === 0);
        },
        lost: () => undefined,
      },
    );
  }
}
