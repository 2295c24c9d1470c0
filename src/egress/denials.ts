/**
 * Denied connections of one sandbox on their way to the audit and to those who follow events. A command can make thousands in a second:
 * of each window of time the first one of a name is reported at once, and the others are counted and reported at its end.
 */
import type { ConnectionRecord } from './door/types.ts';

/** `name` is `null` for the names that are not reported one by one. */
export type Reported = Pick<ConnectionRecord, 'name' | 'port' | 'rule'>;

export interface DenialsInput {
  /** `count`: how many connections it stands for. */
  readonly report: (denied: Reported, count: number) => void;
  readonly windowMs?: number;
}

const defaultWindowMs = 600_000;
/** Names of a window that are reported one by one. */
const maxNames = 20;
const others: Reported = { name: null, port: null, rule: 'other names' };

interface Counted {
  readonly record: ConnectionRecord;
  /** Since the first one. */
  more: number;
}

export class Denials {
  readonly #parts: DenialsInput;
  readonly #counted = new Map<string, Counted>();
  #others = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: DenialsInput) {
    this.#parts = parts;
  }

  add(record: ConnectionRecord): void {
    if (record.verdict !== 'deny') return;
    const { report, windowMs = defaultWindowMs } = this.#parts;
    this.#timer ??= setTimeout(() => this.close(), windowMs).unref();
    const key = JSON.stringify([record.name, record.port, record.rule]);
    const counted = this.#counted.get(key);
    if (counted !== undefined) counted.more += 1;
    else if (this.#counted.size >= maxNames) this.#others += 1;
    else {
      this.#counted.set(key, { record, more: 0 });
      report(record, 1);
    }
  }

  /** Reports what was counted, and ends the window. */
  close(): void {
    const { report } = this.#parts;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const { record, more } of this.#counted.values()) if (more > 0) report(record, more);
    if (this.#others > 0) report(others, this.#others);
    this.#counted.clear();
    this.#others = 0;
  }
}
