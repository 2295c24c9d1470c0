/**
 * Denied connections of one sandbox on their way to the audit. A command can make thousands in a second: of each window of time the
 * first one of a name is written at once, and the others are counted and written at its end.
 */
import type { Audit } from '../../audit/types.ts';
import type { ConnectionRecord } from '../../network/egress/types.ts';
import type { SandboxRow } from '../../store/store.ts';
import { denialEntry, othersEntry } from './audit.ts';

export interface DenialsParts {
  readonly sandbox: Pick<SandboxRow, 'id' | 'taskId'>;
  readonly audit: Pick<Audit, 'recordSoon'>;
  readonly windowMs?: number;
}

const usualWindowMs = 600_000;
/** Names of a window that have entries of their own. */
const mostNames = 20;

interface Counted {
  readonly record: ConnectionRecord;
  /** Since the first one. */
  more: number;
}

export class Denials {
  readonly #parts: DenialsParts;
  readonly #counted = new Map<string, Counted>();
  #others = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: DenialsParts) {
    this.#parts = parts;
  }

  add(record: ConnectionRecord): void {
    if (record.verdict !== 'deny') return;
    const { sandbox, audit, windowMs = usualWindowMs } = this.#parts;
    this.#timer ??= setTimeout(() => this.close(), windowMs).unref();
    const key = JSON.stringify([record.name, record.port, record.rule]);
    const counted = this.#counted.get(key);
    if (counted !== undefined) counted.more += 1;
    else if (this.#counted.size >= mostNames) this.#others += 1;
    else {
      this.#counted.set(key, { record, more: 0 });
      audit.recordSoon(denialEntry(sandbox, record, 1));
    }
  }

  /** Writes what was counted, and ends the window. */
  close(): void {
    const { sandbox, audit } = this.#parts;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const { record, more } of this.#counted.values())
      if (more > 0) audit.recordSoon(denialEntry(sandbox, record, more));
    if (this.#others > 0) audit.recordSoon(othersEntry(sandbox, this.#others));
    this.#counted.clear();
    this.#others = 0;
  }
}
