/**
 * JSON messages, one a line, as agents' protocols have them on stdio: bounded, in order, and with back-pressure on both sides.
 */
import type { Readable, Writable } from 'node:stream';
import { CaissonError } from '../errors.ts';

/** An object of a JSON text. What is in it is hostile until it was looked at. */
export type Message = Readonly<Record<string, unknown>>;

export const maxMessageBytes = 32 * 1024 * 1024;
const newline = 10;

/** Lines without their ends; what follows the last newline is one too. Throws `resource_exhausted` for a longer one. */
export async function* linesOf(source: Readable, max = maxMessageBytes): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let held = 0;
  const hold = (part: Buffer): void => {
    held += part.length;
    if (held > max)
      throw new CaissonError('resource_exhausted', `a message is longer than ${max} bytes`, { details: { most: max } });
    parts.push(part);
  };
  const take = (): string => {
    const line = Buffer.concat(parts).toString();
    parts = [];
    held = 0;
    return line;
  };
  const chunks: AsyncIterable<Uint8Array> = source;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk);
    for (let at = rest.indexOf(newline); at >= 0; at = rest.indexOf(newline)) {
      hold(rest.subarray(0, at));
      yield take();
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) hold(rest);
  }
  if (held > 0) yield take();
}

/** `null`: the line holds no JSON object. Arrays too: neither protocol has batches. */
export function messageIn(line: string): Message | null {
  try {
    return objectIn(JSON.parse(line));
  } catch {
    return null;
  }
}

export function objectIn(value: unknown): Message | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** Writes messages in the order of the calls. */
export class MessageWriter {
  readonly #target: Writable;
  #drained: Promise<void> | null = null;

  constructor(target: Writable) {
    this.#target = target;
    // A reader that leaves ends the conversation by the end of the other stream.
    target.on('error', () => undefined);
  }

  /** Resolves when the target takes more. A target that is gone takes everything. */
  async write(message: Message | string): Promise<void> {
    const target = this.#target;
    if (target.destroyed || target.writableEnded) return;
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    if (target.write(`${text}\n`)) return;
    this.#drained ??= drained(target).finally(() => (this.#drained = null));
    await this.#drained;
  }
}

function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      target.off('drain', done);
      target.off('close', done);
      resolve();
    };
    target.on('drain', done);
    target.on('close', done);
  });
}
