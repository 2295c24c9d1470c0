/** The requests of an agent that Caisson answers itself, each by its own work, so that a slow one holds no other up. */
import { CaissonError } from '../errors.ts';
import { type Message, type MessageWriter, objectIn } from '../lib/message-lines.ts';
import type { Asking } from './asked.ts';
import type { Files } from './files.ts';
import { errorAnswer, argumentError } from './problem.ts';
import type { Terminals } from './terminals.ts';

/** Files and commands hold memory; a wait is small. */
const maxAtOnce = { work: 32, wait: 1024 } as const;
const isWait = /^terminal\/(?:output|wait_for_exit|kill|release)$/;

interface AnswersInput {
  readonly agent: MessageWriter;
  readonly asking: Asking;
  readonly files: Files;
  readonly terminals: Terminals;
}

/** Also methods of these names that no version of the protocol has: none of them ever reaches the editor's own files and programs. */
export const isAnsweredHere = (method: string): boolean => /^(?:fs|terminal)\//.test(method);

export class Answers {
  readonly #parts: AnswersInput;
  readonly #working = new Map<unknown, AbortController>();
  readonly #waiting = new Map<unknown, AbortController>();
  readonly #closing = new AbortController();

  constructor(parts: AnswersInput) {
    this.#parts = parts;
  }

  /** Resolves at once; for one too many, when the agent has taken the refusal. A notification of such a name is nothing. */
  async take(message: Message): Promise<void> {
    const { id, method } = message;
    if (id === undefined) return;
    const isSmall = isWait.test(String(method));
    const [working, max] = isSmall ? [this.#waiting, maxAtOnce.wait] : [this.#working, maxAtOnce.work];
    const { agent } = this.#parts;
    if (working.size >= max || working.has(id)) return await agent.write(errorAnswer(id, tooManyRequestsError()));
    const canceled = new AbortController();
    working.set(id, canceled);
    void this.#answer(message, canceled.signal)
      .catch((error: unknown) => errorAnswer(id, error))
      .then(async (answer) => await agent.write(answer))
      .finally(() => working.delete(id));
  }

  /** The agent does not wait for this answer any more. */
  cancel(id: unknown): void {
    this.#working.get(id)?.abort(new CaissonError('canceled', 'the agent has cancelled it'));
  }

  close(): void {
    this.#closing.abort(new CaissonError('canceled', 'the connection has ended'));
  }

  async #answer({ id, method, params }: Message, canceled: AbortSignal): Promise<Message> {
    const signal = AbortSignal.any([canceled, this.#closing.signal]);
    return { jsonrpc: '2.0', id, result: await this.#resultOf(method, objectIn(params), signal) };
  }

  async #resultOf(method: unknown, params: Message | null, signal: AbortSignal): Promise<Message> {
    const { asking, files, terminals } = this.#parts;
    const { sessionId } = params ?? {};
    if (params === null || typeof sessionId !== 'string') throw argumentError('sessionId must be a text');
    if (method === 'fs/read_text_file')
      return await asking.during(sessionId, async () => await files.read(params, signal));
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

const tooManyRequestsError = (): CaissonError => new CaissonError('resource_exhausted', 'too many requests at once');
