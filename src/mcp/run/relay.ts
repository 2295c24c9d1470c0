/**
 * Passes the messages between a host and an MCP server that runs in a sandbox. Calls of tools are judged before they pass; of the
 * answers only those that tell of a failure are changed, since they are what leaks secrets into prompts.
 */
import { CaissonError, toCaissonError } from '../../errors.ts';
import { type Message, messageIn, type MessageWriter, objectIn } from '../../lib/message-lines.ts';

export interface RelayInput {
  readonly toHost: MessageWriter;
  readonly toServer: MessageWriter;
  /** Throws what the call is refused with. */
  readonly admit: (call: { readonly tool: string; readonly arguments: unknown }, signal: AbortSignal) => Promise<void>;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly say: (text: string) => void;
}

const maxWaiting = 256;
const invalidRequest = -32_600;

export class Relay {
  readonly #parts: RelayInput;
  /** Calls that wait to be judged. */
  readonly #waiting = new Map<unknown, AbortController>();

  constructor(parts: RelayInput) {
    this.#parts = parts;
  }

  /** Resolves when the server takes the next one. */
  async fromHost(line: string): Promise<void> {
    const { toHost, toServer } = this.#parts;
    const message = messageIn(line);
    // A list of messages (a batch, of the revision of March 2025) would carry calls past the rules.
    if (message === null) return await toHost.write(failure(null, invalidRequest, 'expected one JSON object a line'));
    const { method, id } = message;
    if (method === 'tools/call') {
      // A message without an id is a notification, not a call: it asks for no answer, and is dropped.
      if (id !== undefined) void this.#call(message);
      return;
    }
    if (method === 'notifications/cancelled') {
      const waiting = this.#waiting.get(objectIn(message['params'])?.['requestId']);
      if (waiting !== undefined) return waiting.abort(new CaissonError('canceled', 'the host has cancelled it'));
    }
    // Written anew: what was judged is what is sent, also where a key stood in it twice.
    await toServer.write(message);
  }

  /** Resolves when the host takes the next one. */
  async fromServer(line: string): Promise<void> {
    const { toHost, redact, say } = this.#parts;
    const message = messageIn(line);
    if (message === null)
      return line.trim() === '' ? undefined : say('a line of the server that is no message was left out');
    await toHost.write(tellsOfFailure(message) ? JSON.stringify(withEveryText(message, redact)) : line);
  }

  close(): void {
    for (const waiting of this.#waiting.values())
      waiting.abort(new CaissonError('canceled', 'the connection has ended'));
  }

  async #call(message: Message): Promise<void> {
    const { id } = message;
    const { name, arguments: given } = objectIn(message['params']) ?? {};
    const problem = this.#callError(id, name);
    if (problem !== null) return await this.#parts.toHost.write(refusal(id, problem));
    const canceled = new AbortController();
    this.#waiting.set(id, canceled);
    try {
      await this.#parts.admit({ tool: String(name), arguments: given }, canceled.signal);
      if (!canceled.signal.aborted) await this.#parts.toServer.write(message);
    } catch (error) {
      if (!canceled.signal.aborted) await this.#parts.toHost.write(refusal(id, toCaissonError(error)));
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** A second call under the id of one that waits would hide that one from its cancellation. */
  #callError(id: unknown, name: unknown): CaissonError | null {
    if (typeof name !== 'string') return new CaissonError('invalid_argument', 'the name of a tool must be a text');
    if (this.#waiting.has(id)) return new CaissonError('invalid_argument', 'a call with this id waits already');
    const isFull = this.#waiting.size >= maxWaiting;
    return isFull ? new CaissonError('resource_exhausted', 'too many calls at once') : null;
  }
}

/** A result that a model can correct itself by, as tools answer what they cannot do. */
function refusal(id: unknown, { message, remedy }: CaissonError): Message {
  const text = remedy === null ? message : `${message} (${remedy})`;
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } };
}

const failure = (id: unknown, code: number, message: string): Message => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

function tellsOfFailure({ error, result }: Message): boolean {
  return error !== undefined || objectIn(result)?.['isError'] === true;
}

const deepest = 64;

function withEveryText(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return null;
  if (Array.isArray(value)) return value.map((each: unknown) => withEveryText(each, change, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [
      change(key),
      withEveryText(each, change, depth + 1),
    ]),
  );
}
