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
  /** Bytes of all parts; `null`: it is known at the end. */
  readonly size: number | null;
  /** Hexadecimal; `null`: it is known at the end, and goes into the trailer. */
  readonly sha256: string | null;
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the answer is over, also where no part was read. */
  readonly close: () => Promise<void>;

  constructor(parts: AsyncIterable<Buffer>, how: Pick<Bytes, 'size' | 'sha256'> & Partial<Bytes>) {
    this.parts = parts;
    this.headers = how.headers ?? {};
    this.close = how.close ?? (() => Promise.resolve());
    this.size = how.size;
    this.sha256 = how.sha256;
  }
}

/** A file that the client has already. */
export class Unchanged {
  /** `null`: it was asked for nothing but that it is there. */
  readonly sha256: string | null;

  constructor(sha256: string | null) {
    this.sha256 = sha256;
  }
}

export const tagOf = (sha256: string | null): Readonly<Record<string, string>> =>
  sha256 === null ? {} : { etag: `"${sha256}"` };
