/** Redaction of one stream, and of one text: declared values first, then forms. */
import { DeclaredPass, type DeclaredTable, declaredTable } from './declared.ts';
import { PatternPass } from './patterns.ts';
import { Tally } from './tally.ts';
import type { Declared, RedactionCounts, Redactor } from './types.ts';

/** A set of declared values, looked at once and used for any number of streams. */
export class Redaction {
  readonly #table: DeclaredTable | null;

  constructor(declared: readonly Declared[] = []) {
    this.#table = declaredTable(declared);
  }

  stream(): Redactor {
    return new Stream(this.#table, new Tally());
  }

  text(text: string): string {
    return wholeText(this.stream(), text);
  }
}

class Stream implements Redactor {
  readonly counts: RedactionCounts;
  readonly #declared: DeclaredPass | null;
  readonly #patterns: PatternPass;

  constructor(table: DeclaredTable | null, tally: Tally, strict = false) {
    this.counts = tally;
    this.#declared = table === null ? null : new DeclaredPass(table, tally);
    this.#patterns = new PatternPass(tally, { strict });
  }

  get idle(): boolean {
    return this.#patterns.idle && (this.#declared?.idle ?? true);
  }

  write(chunk: Uint8Array): readonly Buffer[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#declared === null) return this.#patterns.write(bytes);
    return this.#declared.write(bytes).flatMap((piece) => this.#patterns.write(piece));
  }

  end(): readonly Buffer[] {
    const rest = this.#declared?.end() ?? [];
    return [...rest.flatMap((piece) => this.#patterns.write(piece)), ...this.#patterns.end()];
  }
}

/**
 * The text of an error of an MCP server, before a model reads it: every secret becomes `[REDACTED]`, and `token=`, `key=`,
 * `API_KEY=`, `password=` and `secret=` parameters count whatever their values look like.
 */
export function redactErrorText(text: string, declared: readonly Declared[] = []): string {
  return wholeText(new Stream(declaredTable(declared), new Tally({ plain: true }), true), text);
}

function wholeText(stream: Redactor, text: string): string {
  return Buffer.concat([...stream.write(Buffer.from(text)), ...stream.end()]).toString();
}
