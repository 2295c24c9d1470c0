/** Answers that are no JSON. */

/** Events that are written as they come, in the form that the client accepts. */
export class Stream {
  readonly events: AsyncIterable<Readonly<Record<string, unknown>>>;

  constructor(events: AsyncIterable<Readonly<Record<string, unknown>>>) {
    this.events = events;
  }
}

/** A text for people and models. */
export class Page {
  readonly text: string;
  readonly type: 'text/markdown' | 'text/plain';

  constructor(text: string, type: Page['type']) {
    this.text = text;
    this.type = type;
  }
}

/** Parts of a file. */
export class Bytes {
  readonly parts: AsyncIterable<Buffer>;
  /** Bytes of all parts. */
  readonly size: number;
  /** Hexadecimal; `null`: it is known at the end, and goes into the trailer. */
  readonly sha256: string | null;

  constructor(parts: AsyncIterable<Buffer>, how: { readonly size: number; readonly sha256: string | null }) {
    this.parts = parts;
    this.size = how.size;
    this.sha256 = how.sha256;
  }
}
