/** The requests of an agent that Caisson answers itself, each by its own work, so that a slow one holds no other up. */
import { CaissonError } from '../errors.ts';
import { type Message, type MessageWriter, objectIn } from '../lib/message-lines.ts';
import type { Asking } from './asked.ts';
import type { Files } from './files.ts';
import { errorAnswer, wrong } from './problem.ts';
import type { Terminals } from './terminals.ts';

const mostAtOnce = 256;

interface Parts {
  readonly agent: MessageWriter;
  readonly asking: Asking;
  readonly files: Files;
  readonly terminals: Terminals;
}

/** Also methods of these names that no version of the protocol has: none of them ever reaches the editor's own files and programs. */
export const isAnsweredHere = (method: string): boolean => /^(?:fs|terminal)\//.test(method);

export class Answers {
  readonly #parts: Parts;
  readonly #working = new Map<unknown, AbortController>();
  readonly #closing = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns at once. A notification of such a name is nothing. */
  take(message: Message): void {
    const { id } = message;
    if (id === undefined) return;
    void this.#answer(message)
      .catch((error: unknown) => errorAnswer(id, error))
      .then((answer) => this.#parts.agent.write(answer));
  }

  /** The agent does not wait for this answer any more. */
  cancel(id: unknown): void {
    this.#working.get(id)?.abort(new CaissonError('canceled', 'the agent has cancelled it'));
  }

  close(): void {
    this.#closing.abort(new CaissonError('canceled', 'the connection has ended'));
  }

  async #answer({ id, method, params }: Message): Promise<Message> {
    if (this.#working.size >= mostAtOnce) throw new CaissonError('resource_exhausted', 'too many requests at once');
    const canceled = new AbortController();
    this.#working.set(id, canceled);
    try {
      const signal = AbortSignal.any([canceled.signal, this.#closing.signal]);
      return { jsonrpc: '2.0', id, result: await this.#resultOf(method, objectIn(params), signal) };
    } finally {
      this.#working.delete(id);
    }
  }

  async #resultOf(method: unknown, params: Message | null, signal: AbortSignal): Promise<Message> {
    const { asking, files, terminals } = this.#parts;
    const { sessionId } = params ?? {};
    if (params === null || typeof sessionId !== 'string') throw wrong('sessionId must be a text');
    if (method === 'fs/read_text_file') return await asking.during(sessionId, async () => await files.read(params, signal));
    if (method === 'fs/write_text_file')
      return await asking.during(sessionId, async (asked) => await files.write(params, asked, signal));
    if (method === 'terminal/create')
      return await asking.during(sessionId, async () => await terminals.create(params, signal));
    if (method === 'terminal/output') return terminals.output(params);
    if (method === 'terminal/wait_for_exit') return await terminals.waitForExit(params);
    if (method === 'terminal/kill') return await terminals.kill(params);
    if (method === 'terminal/release') return await terminals.release(params);
    throw new CaissonError('not_supported', 'there is no such method');
  }
}
