/** The table of samples: a row for the readings of each minute, and one for what stands for them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { KeptSamples, SampleMinute, SampleRow, SampleStore } from '../samples.ts';
import { immediate } from './connection.ts';
import { type Check, integer, object, ShapeError } from './shape.ts';
import type { Table } from './table.ts';

/** At most 60 rows of readings and 1,440 of minutes a sandbox, found and forgotten along the key. */
export const samplesSchema = `
  CREATE TABLE samples (
    sandbox_id TEXT NOT NULL REFERENCES sandboxes (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    minute INTEGER NOT NULL,
    figures BLOB NOT NULL,
    PRIMARY KEY (sandbox_id, kind, minute)
  ) STRICT, WITHOUT ROWID;`;

const hourMs = 3_600_000;
const dayMs = 86_400_000;

type Kind = 'readings' | 'minute';

interface Stored {
  readonly minute: number;
  readonly figures: Float32Array;
}

const figures: Check<Float32Array> = (value, at) => {
  const found = value instanceof Uint8Array ? figuresIn(value) : null;
  if (found === null) throw new ShapeError(`${at} should be rows of figures`);
  return found;
};
const shape = object<Stored>({ minute: integer, figures });

export class SampleTable implements Table<SampleStore> {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  add(minutes: readonly SampleMinute[]): void {
    immediate(this.#db, () => minutes.forEach((each) => this.#put(each)));
  }

  of(sandboxId: string, sinceMs: number): KeptSamples {
    const select = this.#prepared(
      'SELECT minute, figures FROM samples WHERE sandbox_id = ? AND kind = ? AND minute >= ? ORDER BY minute',
    );
    const rowsOf = (kind: Kind): readonly SampleRow[] =>
      select.all(sandboxId, kind, sinceMs).flatMap((row) => rowsIn(shape(row, 'samples')));
    return { readings: rowsOf('readings'), minutes: rowsOf('minute') };
  }

  #put({ sandboxId, readings, minute }: SampleMinute): void {
    const insert = this.#prepared(
      `INSERT INTO samples (sandbox_id, kind, minute, figures)
       SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM sandboxes WHERE id = ?1)
       ON CONFLICT DO UPDATE SET figures = excluded.figures`,
    );
    const forget = this.#prepared('DELETE FROM samples WHERE sandbox_id = ? AND kind = ? AND minute <= ?');
    const write = (kind: Kind, rows: readonly SampleRow[], keptMs: number): void => {
      insert.run(sandboxId, kind, minute.atMs, bytesOf(rows, minute.atMs));
      forget.run(sandboxId, kind, minute.atMs - keptMs);
    };
    write('readings', readings, hourMs);
    write('minute', [minute], dayMs);
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

/** The number of values of a row, and then each row: its moment within the minute, and its values. */
function bytesOf(rows: readonly SampleRow[], minuteMs: number): Uint8Array {
  const width = rows[0]?.values.length ?? 0;
  const numbers = rows.flatMap(({ atMs, values }) => [atMs - minuteMs, ...values]);
  return new Uint8Array(Float32Array.of(width, ...numbers).buffer);
}

/** `null`: they were not written by `bytesOf`. */
function figuresIn(bytes: Uint8Array): Float32Array | null {
  if (bytes.length === 0 || bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return null;
  const found = new Float32Array(new Uint8Array(bytes).buffer);
  const [width = -1] = found;
  return Number.isSafeInteger(width) && width >= 0 && (found.length - 1) % (1 + width) === 0 ? found : null;
}

/** Without spread and iterators: a day of a sandbox is 1,800 rows. */
function rowsIn({ minute, figures: numbers }: Stored): readonly SampleRow[] {
  const size = 1 + (numbers[0] ?? 0);
  const rows: SampleRow[] = [];
  for (let at = 1; at < numbers.length; at += size)
    rows.push({ atMs: minute + (numbers[at] ?? 0), values: Array.from(numbers.subarray(at + 1, at + size)) });
  return rows;
}
