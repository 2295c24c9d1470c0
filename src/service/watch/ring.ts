/** The last rows of a series of numbers, in as little memory as they need: most sandboxes live for minutes. */

export interface RingShape {
  /** Numbers of a row. */
  readonly width: number;
  readonly maxRows: number;
}

export interface RingRow {
  readonly atMs: number;
  /** NaN: not known. */
  readonly values: readonly number[];
}

const firstRows = 16;

export class Ring {
  readonly #shape: RingShape;
  #times = new Float64Array(firstRows);
  #values: Float32Array;
  #first = 0;
  #count = 0;

  constructor(shape: RingShape) {
    this.#shape = shape;
    this.#values = new Float32Array(firstRows * shape.width);
  }

  /** Takes the place of the oldest row where there are `maxRows`. */
  push({ atMs, values }: RingRow): void {
    if (this.#count === this.#times.length && this.#count < this.#shape.maxRows) this.#grow();
    const size = this.#times.length;
    const at = (this.#first + this.#count) % size;
    this.#times[at] = atMs;
    this.#values.set(values, at * this.#shape.width);
    if (this.#count === size) this.#first = (this.#first + 1) % size;
    else this.#count += 1;
  }

  /** The last `count` rows, oldest first. */
  last(count = this.#count): readonly RingRow[] {
    const taken = Math.max(0, Math.min(count, this.#count));
    return Array.from({ length: taken }, (_, at) => this.#row(this.#count - taken + at));
  }

  #row(index: number): RingRow {
    const at = (this.#first + index) % this.#times.length;
    const { width } = this.#shape;
    return { atMs: this.#times[at] ?? 0, values: [...this.#values.subarray(at * width, (at + 1) * width)] };
  }

  #grow(): void {
    const rows = Math.min(this.#shape.maxRows, this.#times.length * 2);
    const kept = this.last();
    this.#times = new Float64Array(rows);
    this.#values = new Float32Array(rows * this.#shape.width);
    this.#first = 0;
    this.#count = 0;
    for (const row of kept) this.push(row);
  }
}
