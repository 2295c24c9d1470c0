/**
 * The requests of the editor that the agent has not answered yet, and the sessions that exist by them. An agent gives answers to
 * these requests alone, and works in these sessions alone.
 */
import { type Message, objectIn } from '../lib/message-lines.ts';

export class Requests {
  readonly #waiting = new Map<unknown, Message>();
  readonly #sessions = new Set<string>();

  /** Notes any message of the editor. A session that it names exists: it may load one of an earlier connection. */
  begun(message: Message): void {
    if (message['id'] !== undefined) this.#waiting.set(message['id'], message);
    this.#add(message['params']);
  }

  /** The request that a message of the agent answers. `null`: no request waits for it. */
  answered({ id, result }: Message): Message | null {
    const request = this.#waiting.get(id) ?? null;
    if (request === null) return null;
    this.#waiting.delete(id);
    this.#add(result);
    return request;
  }

  knows(sessionId: unknown): boolean {
    return typeof sessionId === 'string' && this.#sessions.has(sessionId);
  }

  #add(named: unknown): void {
    const sessionId = objectIn(named)?.['sessionId'];
    if (typeof sessionId === 'string') this.#sessions.add(sessionId);
  }
}

/** Names of methods as the protocol forms them, `session/update`, and of extensions, `_zed.dev/buffers`. */
const methodForm = /^(?:(?:\$|[a-z][\w.-]*)\/[\w./-]+|_[A-Za-z][\w./-]*)$/;

/** A name such as `__proto__` could be a key of every object in an editor. */
export const isMethod = (method: string): boolean => methodForm.test(method);
