/** Redaction of one stream, and of one text: declared values first, then forms. */
import { DeclaredPass, type DeclaredTable, declaredTable } from './declared.ts';
import { Flood, floodKind } from './flood.ts';
import { PatternPass } from './patterns.ts';
import { type Passed, Seen, withMarks } from './seen.ts';
import { Tally } from './tally.ts';
import type { Declared, RedactionCounts, Redactor } from './types.ts';
import { type Shown, Unseen } from './unseen.ts';

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

/** More than these become one: each is a record of its own. */
const fewParts = 4;

class Stream implements Redactor {
  readonly counts: RedactionCounts;
  readonly #unseen = new Unseen();
  readonly #declared: Seen | null;
  readonly #patterns: Seen;
  readonly #tally: Tally;
  readonly #flood = new Flood();
  #written = 0;

  constructor(table: DeclaredTable | null, tally: Tally, strict = false) {
    this.counts = tally;
    this.#tally = tally;
    this.#declared = table === null ? null : new Seen(new DeclaredPass(table, tally));
    this.#patterns = new Seen(new PatternPass(tally, { strict }));
  }

  get idle(): boolean {
    return this.#flood.isOver || this.#restIsIdle;
  }

  get #restIsIdle(): boolean {
    return this.#unseen.idle && this.#patterns.idle && (this.#declared?.idle ?? true);
  }

  write(chunk: Uint8Array): readonly Buffer[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length && !this.#flood.isOver;) {
      const part = bytes.subarray(at, at + this.#flood.untilLook);
      at += part.length;
      parts.push(...this.#given(this.#through(this.#unseen.write(part))));
      if (this.#flood.begins(part.length, this.counts.redactions)) parts.push(this.#tally.placeholder(floodKind));
    }
    return parts.length > fewParts ? [Buffer.concat(parts)] : parts;
  }

  /** Half a control sequence stays: no screen shows it. */
  release(): readonly Buffer[] {
    if (this.#flood.isOver) return [];
    const declared = this.#declared === null ? [] : this.#given(this.#patterns.write(shown(this.#declared.release())));
    return [...declared, ...this.#given(this.#patterns.release())];
  }

  end(): readonly Buffer[] {
    if (this.#flood.isOver) return [];
    const held = this.#given(this.#through(this.#unseen.end()));
    const declared = this.#declared === null ? [] : this.#given(this.#patterns.write(shown(this.#declared.end())));
    return [...held, ...declared, ...this.#given(this.#patterns.end())];
  }

  #through(given: Shown): Passed {
    return this.#patterns.write(this.#declared === null ? given : shown(this.#declared.write(given)));
  }

  #given(passed: Passed): readonly Buffer[] {
    const from = this.#written;
    for (const { length } of passed.pieces) this.#written += length;
    return withMarks(passed, from);
  }
}

function shown({ pieces, marks }: Passed): Shown {
  const [only] = pieces;
  return { seen: pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces), marks };
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
