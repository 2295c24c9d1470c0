/** Samples of one sandbox: every reading of the last hour, and each minute of the last day. Pure but for its own state. */
import type { Stats } from '../../backend.ts';
import type { SampleFigures, Samples } from '../samples.ts';
import { Ring, type RingRow } from './ring.ts';

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
  readonly rows: (readonly number[])[];
}

export class Series {
  readonly #recent = new Ring({ width: figureCount, maxRows: hourRows });
  readonly #minutes = new Ring({ width: 2 * figureCount, maxRows: dayRows });
  #before: Reading | null = null;
  #minute: Minute | null = null;

  add(reading: Reading): void {
    const { atMs } = reading;
    const values = figuresOf(reading, this.#before);
    this.#before = reading;
    this.#recent.push({ atMs, values });
    const beginMs = Math.floor(atMs / minuteMs) * minuteMs;
    if (this.#minute?.atMs !== beginMs) {
      this.#endMinute();
      this.#minute = { atMs: beginMs, rows: [] };
    }
    this.#minute?.rows.push(values);
  }

  read(nowMs: number, last?: number): Samples {
    const recent = this.#recent.last(last).filter(({ atMs }) => nowMs - atMs <= hourMs);
    const minutes = last === undefined ? this.#minutes.last().filter(({ atMs }) => nowMs - atMs <= dayMs) : [];
    return {
      recent: recent.map((row) => ({ at: timeOf(row), ...shownOf(row.values) })),
      minutes: minutes.map((row) => ({
        at: timeOf(row),
        mean: shownOf(row.values.slice(0, figureCount)),
        max: shownOf(row.values.slice(figureCount)),
      })),
    };
  }

  #endMinute(): void {
    if (this.#minute === null) return;
    const { atMs, rows } = this.#minute;
    const columns = Array.from({ length: figureCount }, (_, column) =>
      rows.map((row) => row[column] ?? NaN).filter((value) => !Number.isNaN(value)),
    );
    const means = columns.map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
    const highest = columns.map((values) => (values.length === 0 ? NaN : Math.max(...values)));
    this.#minutes.push({ atMs, values: [...means, ...highest] });
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
