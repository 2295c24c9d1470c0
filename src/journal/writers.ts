/** The segments that this process writes. Each owner has its own, so that records of one are removed without those of another. */
import { operator } from '../values/caller.ts';
import { SegmentWriter, type SegmentWriterOptions } from './segment-writer.ts';

/** Each has a descriptor. Of more, those that have written least lately are closed. */
const maxOpen = 64;

interface WritersOptions extends Omit<SegmentWriterOptions, 'prefix'> {
  /** Something on its way still refers to what it writes. */
  readonly isUsed: (writer: SegmentWriter) => boolean;
  readonly onClosed: (writer: SegmentWriter) => void;
}

export class Writers {
  readonly #options: WritersOptions;
  /** Writers by owner, in the order of their last use. */
  readonly #writers = new Map<string, SegmentWriter>();

  constructor(options: WritersOptions) {
    this.#options = options;
  }

  of(owner: string): SegmentWriter {
    const writer = this.#writers.get(owner) ?? this.#open(owner);
    this.#writers.delete(owner);
    this.#writers.set(owner, writer);
    return writer;
  }

  flush(): void {
    for (const writer of this.#writers.values()) writer.flush();
  }

  close(): void {
    for (const writer of this.#writers.values()) writer.close();
  }

  #open(owner: string): SegmentWriter {
    if (this.#writers.size >= maxOpen) this.#closeOldest();
    return new SegmentWriter({ ...this.#options, prefix: owner === operator ? '' : `${owner}.` });
  }

  #closeOldest(): void {
    for (const [owner, writer] of this.#writers) {
      if (this.#options.isUsed(writer)) continue;
      writer.close();
      this.#writers.delete(owner);
      this.#options.onClosed(writer);
      return;
    }
  }
}
