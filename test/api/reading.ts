/** Reading streams and waiting, as programs of either side do it. */
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { RunResult } from '../../src/service/api.ts';

export async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream));
}

export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return (await bytesOf(stream)).toString();
}

/** A source of one part. */
export const sourceOf = (text: string): Readable => Readable.from([Buffer.from(text)]);

/** A stream of which a part is read now and the rest later. */
export class Reading {
  readonly #parts: AsyncIterator<Uint8Array>;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#parts = stream[Symbol.asyncIterator]();
  }

  /** What comes until the text was seen. */
  async until(text: string): Promise<string> {
    let seen = '';
    while (!seen.includes(text)) {
      const { done, value } = await this.#parts.next();
      if (done === true) throw new Error(`the stream ended after ${JSON.stringify(seen)}`);
      seen += Buffer.from(value).toString();
    }
    return seen;
  }

  async rest(): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for (let next = await this.#parts.next(); next.done !== true; next = await this.#parts.next())
      parts.push(next.value);
    return Buffer.concat(parts);
  }
}

export function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
}

/** The first that is wanted; the loop is left then. */
export async function firstOf<Item>(items: AsyncIterable<Item>, isWanted: (item: Item) => boolean): Promise<Item> {
  for await (const item of items) if (isWanted(item)) return item;
  throw new Error('it ended without the wanted one');
}

/** A refusal with this code, and nothing else of an error that a caller may rely on. */
export async function refused(attempt: Promise<unknown>, code: string): Promise<void> {
  await expect(attempt).rejects.toMatchObject({ name: 'CaissonError', code });
}

export const ended = (exitCode: number) => ({ reason: 'exited', exitCode, signal: null });

/** Output that was kept whole. */
export function whole(text: string): RunResult['stdout'] {
  return { text, bytes: Buffer.byteLength(text), truncated: false, omittedBytes: 0, cutAt: null, cutTo: null };
}

/** A call as a program without types may make it. */
export async function calling(noun: object, verb: string, ...args: readonly unknown[]): Promise<unknown> {
  const act: unknown = Reflect.get(noun, verb);
  if (typeof act !== 'function') throw new Error(`there is no ${verb}`);
  const answer: unknown = Reflect.apply(act, noun, args);
  return await answer;
}
