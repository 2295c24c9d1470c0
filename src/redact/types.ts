/** What redaction takes and tells. Shapes only. */

/** A value that must not be seen, and the name that stands in its place. */
export interface Declared {
  readonly name: string;
  readonly value: string;
}

export interface RedactionCounts {
  /** Placeholders that were put in. */
  readonly redactions: number;
  /** Counts by the word in the placeholder: a kind of secret, or the name of a declared value. */
  readonly kinds: Readonly<Record<string, number>>;
}

/**
 * One stream on its way to its readers. What comes out depends on the bytes and not on how they were cut into chunks:
 * what may still turn out to be a secret is held, at most some hundred bytes, and everything else goes on at once.
 */
export interface Redactor {
  /** Takes a chunk, and gives what may go on. */
  write(chunk: Uint8Array): readonly Buffer[];
  /** What is held, judged as if the stream ended here. More may be written: what it completes is not looked at as a whole. */
  release(): readonly Buffer[];
  /** What was held. Nothing may be written afterwards. */
  end(): readonly Buffer[];
  /** Counts of this stream until now. */
  readonly counts: RedactionCounts;
  /** Nothing is held, and what comes does not depend on what was. */
  readonly idle: boolean;
}
