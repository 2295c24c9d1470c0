import type { RedactionCounts } from './types.ts';

/** Counts what was replaced, and says what stands in its place. */
export class Tally implements RedactionCounts {
  readonly #counts: Record<string, number> = {};
  readonly #plain: boolean;
  readonly #placeholders = new Map<string, Buffer>();
  #redactions = 0;

  /** `plain`: `[REDACTED]`, without a word on what it was. */
  constructor({ plain = false }: { readonly plain?: boolean } = {}) {
    this.#plain = plain;
  }

  get redactions(): number {
    return this.#redactions;
  }

  get kinds(): RedactionCounts['kinds'] {
    return { ...this.#counts };
  }

  toJSON(): RedactionCounts {
    return { redactions: this.#redactions, kinds: this.kinds };
  }

  placeholder(kind: string): Buffer {
    this.#redactions += 1;
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
    const known = this.#placeholders.get(kind) ?? Buffer.from(this.#plain ? '[REDACTED]' : `[REDACTED:${kind}]`);
    this.#placeholders.set(kind, known);
    return known;
  }
}

/** How a value begins that was redacted before: it stays as it is. */
export const redactedStart = '[REDACTED';
