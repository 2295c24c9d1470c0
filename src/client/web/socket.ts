/** A `WebSocket` as a sequence of messages. It has no back-pressure of its own: what waits here to be read or sent is bounded. */
import { abortError, CaissonError } from '../../errors.ts';
import type { WireSocket } from '../transport.ts';
import { unreachableError } from '../wire/away.ts';
import { pause } from '../wire/patience.ts';
import type { Socket } from './types.ts';

const maxUnsentBytes = 1024 * 1024;
const maxUnreadBytes = 16 * 1024 * 1024;
/** What each message counts beside its content, also an empty one: taking from the front of a very long list is slow. */
const messageBytes = 1024;
const lookMs = 5;
/** RFC 6455, section 7.4.1: closed in order; the service stops. */
const [inOrder, refused] = [1000, 1008];

/** Throws `unavailable` when it cannot be opened: a browser does not say why. */
export async function openSocket(socket: Socket, signal?: AbortSignal): Promise<WireSocket> {
  const opened = Promise.withResolvers<void>();
  const made = new WebWireSocket(socket, opened);
  const abort = (): void => {
    made.close();
    opened.reject(abortError(signal ?? AbortSignal.abort()));
  };
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await opened.promise;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  return made;
}

class WebWireSocket implements WireSocket {
  readonly messages: AsyncIterable<string | Uint8Array>;
  readonly #socket: Socket;
  readonly #waiting: (string | Uint8Array)[] = [];
  #unread = 0;
  #end: CaissonError | 'in order' | null = null;
  #wake = (): void => {};

  constructor(socket: Socket, opened: PromiseWithResolvers<void>) {
    this.#socket = socket;
    this.messages = this.#read();
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => opened.resolve());
    socket.addEventListener('message', (event) => this.#take(Reflect.get(event, 'data')));
    socket.addEventListener('close', (event) => {
      const code = Number(Reflect.get(event, 'code'));
      const isEnd = code === inOrder || code === refused;
      this.#finish(isEnd ? 'in order' : unreachableError('the socket to the service was closed', { sent: true }));
      opened.reject(unreachableError('the socket to the service could not be opened', { sent: true }));
    });
  }

  async send(message: string | Uint8Array): Promise<void> {
    if (this.#end !== null)
      throw this.#end === 'in order' ? unreachableError('the socket is closed', { sent: true }) : this.#end;
    this.#socket.send(message);
    while (this.#end === null && this.#socket.bufferedAmount > maxUnsentBytes) await pause(lookMs, undefined);
  }

  close(): void {
    this.#finish('in order');
    this.#socket.close();
  }

  #take(data: unknown): void {
    const message = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
    if (typeof message !== 'string' && !(message instanceof Uint8Array)) return;
    if (this.#end !== null) return;
    this.#unread += messageBytes + message.length;
    if (this.#unread <= maxUnreadBytes) this.#waiting.push(message);
    else {
      this.#finish(new CaissonError('internal', 'the service sent more than was read'));
      this.#socket.close();
    }
    this.#wake();
  }

  #finish(end: CaissonError | 'in order'): void {
    this.#end ??= end;
    this.#wake();
  }

  async *#read(): AsyncGenerator<string | Uint8Array, void, void> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) {
        this.#unread -= messageBytes + message.length;
        yield message;
      } else if (this.#end !== null) {
        if (this.#end !== 'in order') throw this.#end;
        return;
      } else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
