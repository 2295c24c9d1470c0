/** Samples of one sandbox: every reading of the last hour, and each minute of the last day. Pure but for its own state. */
import type { Stats } from '../../backend.ts';
import type { KeptSamples } from '../../store/samples.ts';
import type { SampleFigures, Samples } from '../samples.ts';
import { Ring, type RingRow, type RingShape } from './ring.ts';

const hourRows = 360;
const dayRows = 1440;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const minuteMs = 60_000;
const figureCount = 5;

interface Reading {
  readonly stats: Stats;
  readonly atMs: number;
}

interface Minute {
  readonly atMs: number;
  readonly rows: RingRow[];
}

/** A minute with its readings, and the row that stands for them: means, then the highest. */
export interface Ended {
  readonly readings: readonly RingRow[];
  readonly minute: RingRow;
}

/** Beginning of the minute. */
export const minuteOf = (atMs: number): number => Math.floor(atMs / minuteMs) * minuteMs;

const recentRing = (rows: readonly RingRow[]): Ring => ringOf({ width: figureCount, maxRows: hourRows }, rows);
const minuteRing = (rows: readonly RingRow[]): Ring => ringOf({ width: 2 * figureCount, maxRows: dayRows }, rows);

function ringOf(shape: RingShape, rows: readonly RingRow[]): Ring {
  const ring = new Ring(shape);
  for (const row of rows) ring.push(row);
  return ring;
}

export class Series {
  #recent = recentRing([]);
  #minutes = minuteRing([]);
  #before: Reading | null = null;
  #minute: Minute | null = null;

  /** Goes on with a minute that another process has begun. */
  resume(readings: readonly RingRow[]): void {
    const [first] = readings;
    if (first === undefined) return;
    for (const row of readings) this.#recent.push(row);
    this.#minute = { atMs: minuteOf(first.atMs), rows: [...readings] };
  }

  /** Takes what was kept before its own first reading. Idempotent. */
  precede({ readings, minutes }: KeptSamples): void {
    const recent = this.#recent.last();
    const firstMs = recent[0]?.atMs ?? Infinity;
    const own = this.#minutes.last();
    this.#recent = recentRing([...readings.filter(({ atMs }) => atMs < firstMs), ...recent]);
    this.#minutes = minuteRing([...minutes.filter(({ atMs }) => atMs < minuteOf(firstMs)), ...own]);
  }

  /** The minute that is over with this reading, to be kept. */
  add(reading: Reading): Ended | null {
    const { atMs } = reading;
    const row = { atMs, values: figuresOf(reading, this.#before) };
    this.#before = reading;
    this.#recent.push(row);
    const beginMs = minuteOf(atMs);
    const ended = this.#minute?.atMs === beginMs ? null : this.open;
    if (ended !== null) this.#minutes.push(ended.minute);
    if (this.#minute?.atMs !== beginMs) this.#minute = { atMs: beginMs, rows: [] };
    this.#minute.rows.push(row);
    return ended;
  }

  /** A sandbox that is not read any more leaves a minute that is over, and that no reading has ended. */
  #over(nowMs: number): readonly RingRow[] {
    const ended = this.#minutes.last();
    const { open } = this;
    return open === null || nowMs < open.minute.atMs + minuteMs ? ended : [...ended, open.minute];
  }

  /** The minute that goes on. `null`: it has no reading. */
  get open(): Ended | null {
    if (this.#minute === null || this.#minute.rows.length === 0) return null;
    const { atMs, rows: readings } = this.#minute;
    const columns = Array.from({ length: figureCount }, (_, column) =>
      readings.map(({ values }) => values[column] ?? NaN).filter((value) => !Number.isNaN(value)),
    );
    const means = columns.map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
    const highest = columns.map((values) => (values.length === 0 ? NaN : Math.max(...values)));
    return { readings, minute: { atMs, values: [...means, ...highest] } };
  }

  read(nowMs: number, last?: number): Samples {
    const recent = this.#recent.last(last).filter(({ atMs }) => nowMs - atMs <= hourMs);
    const minutes = last === undefined ? this.#over(nowMs).filter(({ atMs }) => nowMs - atMs <= dayMs) : [];
    return {
      recent: recent.map((row) => ({ at: timeOf(row), ...shownOf(row.values) })),
      minutes: minutes.map((row) => ({
        at: timeOf(row),
        mean: shownOf(row.values.slice(0, figureCount)),
        max: shownOf(row.values.slice(figureCount)),
      })),
    };
  }
}

const timeOf = ({ atMs }: RingRow): string => new Date(atMs).toISOString();

/** Figures in the order of `SampleFigures`. Counters begin anew with the sandbox: that reading gives no rate. */
function figuresOf({ stats, atMs }: Reading, before: Reading | null): readonly number[] {
  const passedMs = atMs - (before?.atMs ?? atMs);
  const rate = (name: 'cpuNanos' | 'networkReceivedBytes' | 'networkSentBytes', perMs: number): number => {
    const grown = (stats[name] ?? NaN) - (before?.stats[name] ?? NaN);
    return passedMs > 0 && grown >= 0 ? (grown / passedMs) * perMs : NaN;
  };
  return [
    rate('cpuNanos', 1e-6),
    stats.memoryBytes ?? NaN,
    stats.pids ?? NaN,
    rate('networkReceivedBytes', 1000),
    rate('networkSentBytes', 1000),
  ];
}

function shownOf([cpu = NaN, memory = NaN, pids = NaN, received = NaN, sent = NaN]: readonly number[]): SampleFigures {
  return {
    cpuCores: Number.isNaN(cpu) ? null : Math.round(cpu * 10_000) / 10_000,
    memoryBytes: whole(memory),
    pids: whole(pids),
    receivedPerSecond: whole(received),
    sentPerSecond: whole(sent),
  };
}

const whole = (value: number): number | null => (Number.isNaN(value) ? null : Math.round(value));
