/** The editor, as the one who is asked: questions of Caisson to it, their answers, and the end of patience. */
import { randomBytes } from 'node:crypto';
import type { Message, MessageWriter } from '../lib/message-lines.ts';
import { type Answer, answerIn, type Option } from './permission.ts';

export interface Question {
  readonly sessionId: string;
  readonly toolCall: Message;
  readonly options: readonly Option[];
}

interface Waiting {
  readonly sessionId: string;
  readonly end: (answer: Answer) => void;
}

const maxLate = 256;
/** Most questions at once: those of an agent that asks without end would each wait for the whole of the timeout. */
const maxWaiting = 256;

export class Editor {
  readonly #writer: MessageWriter;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<unknown, Waiting>();
  /** Ids of requests to which an answer would come too late. */
  readonly #late = new Set<unknown>();
  /** No agent can guess an id of a question. */
  readonly #prefix = `caisson-${randomBytes(9).toString('hex')}`;
  #count = 0;
  #hasAnswered = false;
  #canAsk = true;

  constructor(writer: MessageWriter, timeoutMs: number) {
    this.#writer = writer;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * False after an editor has said that it knows no permission requests, or has been silent at the first: it is not asked again, since
   * every question would cost the whole of the timeout.
   */
  get canAsk(): boolean {
    return this.#canAsk;
  }

  /** Whether a request of the agent with this id may be passed on: one, as long as it is not answered. */
  takes(id: unknown): boolean {
    return this.#canAsk && this.#waiting.size < maxWaiting && !this.#waiting.has(id);
  }

  /** Asks for Caisson. Never rejects. */
  async ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    if (!this.#canAsk) return { kind: 'unable' };
    const id = `${this.#prefix}-${(this.#count += 1)}`;
    const answered = this.awaited(id, question.sessionId, signal);
    await this.#writer.write({ jsonrpc: '2.0', id, method: 'session/request_permission', params: question });
    return await answered;
  }

  /** The answer to a request with this id, which may be the agent's own. */
  awaited(id: unknown, sessionId: string, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        clearTimeout(late);
        signal?.removeEventListener('abort', silent);
        this.#waiting.delete(id);
        if (answer.kind === 'silent') this.#tooLate(id);
        this.#learn(answer);
        resolve(answer);
      };
      const silent = (): void => end({ kind: 'silent' });
      const late = setTimeout(silent, this.#timeoutMs);
      signal?.addEventListener('abort', silent, { once: true });
      this.#late.delete(id);
      this.#waiting.set(id, { sessionId, end });
      if (signal?.aborted === true) silent();
    });
  }

  /** True for the answer to something that is awaited, or was until the user had been silent for too long. */
  take(message: Message): boolean {
    const waiting = this.#waiting.get(message['id']);
    waiting?.end(answerIn(message));
    return waiting !== undefined || this.#late.delete(message['id']);
  }

  /** Whether it answers a question that Caisson has asked, perhaps too late. */
  isOwn(id: unknown): boolean {
    return typeof id === 'string' && id.startsWith(`${this.#prefix}-`);
  }

  /** The user has stopped the turn: what is asked in it is answered with `cancelled`. */
  cancel(sessionId: unknown): void {
    for (const waiting of this.#waiting.values())
      if (waiting.sessionId === sessionId) waiting.end({ kind: 'cancelled' });
  }

  close(): void {
    this.#canAsk = false;
    for (const { end } of this.#waiting.values()) end({ kind: 'cancelled' });
  }

  #tooLate(id: unknown): void {
    const [oldest] = this.#late;
    if (this.#late.size >= maxLate) this.#late.delete(oldest);
    this.#late.add(id);
  }

  #learn({ kind }: Answer): void {
    if (kind === 'selected') this.#hasAnswered = true;
    if (kind === 'unable' || (kind === 'silent' && !this.#hasAnswered)) this.#canAsk = false;
  }
}
