/**
 * Secrets are looked for in what a reader sees. What is invisible is put back where it was, so that `TOKEN=` in one colour
 * and its value in another stand together for a pass.
 */
import type { Mark, Shown } from './unseen.ts';

/** What a pass gives on. */
export interface Piece {
  readonly bytes: Buffer;
  /** Offset in the stream at which the piece began, or the secret that it stands for. */
  readonly from: number;
  /** It stands for a secret. */
  readonly replaces: boolean;
}

export interface Pass {
  write(chunk: Buffer): readonly Piece[];
  /** What is held, as if the stream ended here, though more may come. */
  release(): readonly Piece[];
  end(): readonly Piece[];
  /** How many bytes of the stream are decided. */
  readonly settled: number;
  readonly idle: boolean;
}

/** What comes out of one pass: pieces of what is seen, and marks at places of it. */
export interface Passed {
  readonly pieces: readonly Buffer[];
  readonly marks: readonly Mark[];
}

export class Seen {
  readonly #pass: Pass;
  #marks: readonly Mark[] = [];
  #written = 0;
  /** Offset at which the secret began that was last replaced, as long as nothing came behind it. */
  #hiddenFrom = Infinity;

  constructor(pass: Pass) {
    this.#pass = pass;
  }

  get idle(): boolean {
    return this.#marks.length === 0 && this.#pass.idle;
  }

  write({ seen, marks }: Shown): Passed {
    if (marks.length > 0) this.#marks = this.#marks.length === 0 ? marks : this.#marks.concat(marks);
    return this.#placed(this.#pass.write(seen));
  }

  release(): Passed {
    return this.#placed(this.#pass.release());
  }

  end(): Passed {
    const { pieces, marks } = this.#placed(this.#pass.end());
    const rest = this.#marks.map(({ bytes }) => ({ at: this.#written, bytes }));
    this.#marks = [];
    return { pieces, marks: [...marks, ...rest] };
  }

  #placed(pieces: readonly Piece[]): Passed {
    const placed: Mark[] = [];
    let next = 0;
    // Those inside of a secret, which ended at `behind` at the latest, go with it.
    const place = (end: number, behind: number): void => {
      for (let mark = this.#marks[next]; mark !== undefined && mark.at <= end; mark = this.#marks[next]) {
        if (mark.at <= this.#hiddenFrom || mark.at >= behind)
          placed.push({ at: this.#written + Math.max(0, mark.at - behind), bytes: mark.bytes });
        next += 1;
      }
    };
    for (const { bytes, from, replaces } of pieces) {
      place(replaces ? from : from + bytes.length - 1, from);
      this.#written += bytes.length;
      this.#hiddenFrom = replaces ? from : Infinity;
    }
    const { settled } = this.#pass;
    place(this.#hiddenFrom < settled ? settled - 1 : settled, settled);
    if (next > 0) this.#marks = this.#marks.slice(next);
    return { pieces: pieces.map(({ bytes }) => bytes), marks: placed };
  }
}

/** Pieces of a stream with what is invisible back in its places; the first piece begins at `from`. */
export function withMarks({ pieces, marks }: Passed, from: number): readonly Buffer[] {
  if (marks.length === 0) return pieces;
  const all: Buffer[] = [];
  let start = from;
  let next = 0;
  for (const piece of pieces) {
    let at = 0;
    for (let mark = marks[next]; mark !== undefined && mark.at - start < piece.length; mark = marks[next]) {
      all.push(piece.subarray(at, mark.at - start), mark.bytes);
      at = mark.at - start;
      next += 1;
    }
    all.push(piece.subarray(at));
    start += piece.length;
  }
  return [Buffer.concat([...all, ...marks.slice(next).map(({ bytes }) => bytes)])];
}
