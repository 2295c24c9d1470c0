/** Recorded events, shown as they happened. */
import { TextDecoder } from 'node:util';
import type { ExecEvent } from '../service/api.ts';
import type { Context } from './context.ts';
import { escapeKeepingColours } from './escape.ts';
import { explain } from './explain.ts';
import { formatBytes, formatDuration } from './format.ts';

export class Replay {
  readonly #context: Context;
  readonly #raw: boolean;
  /** A character may be cut by the end of an event, so each stream of each exec is decoded on its own. */
  readonly #decoders = new Map<string, TextDecoder>();

  constructor(context: Context, raw: boolean) {
    this.#context = context;
    this.#raw = raw;
  }

  async show({ execId, at, event }: ExecEvent): Promise<void> {
    const { notice, world } = this.#context;
    switch (event.type) {
      case 'started':
        return notice(`${execId} started ${at} on ${event.where.backend}: ${event.command.join(' ')}`);
      case 'gap':
        return notice(`${execId}: ${formatBytes(event.bytes)} of ${event.stream} are not kept`);
      case 'stdout':
        return this.#context.print(this.#text(`${execId} stdout`, event.bytes));
      case 'stderr':
        world.stderr.write(this.#text(`${execId} stderr`, event.bytes));
        return;
      case 'exit':
        for (const stream of ['stdout', 'stderr']) this.#decoders.delete(`${execId} ${stream}`);
        notice(
          `${execId} ended after ${formatDuration(event.exit.durationMs)}${event.exit.exitCode === null ? '' : ` with ${event.exit.exitCode}`}`,
        );
        for (const line of explain(event.exit, null)) notice(line);
    }
  }

  #text(stream: string, bytes: Uint8Array): string | Uint8Array {
    if (this.#raw) return bytes;
    const decoder = this.#decoders.get(stream) ?? new TextDecoder();
    this.#decoders.set(stream, decoder);
    return escapeKeepingColours(decoder.decode(bytes, { stream: true }));
  }
}
