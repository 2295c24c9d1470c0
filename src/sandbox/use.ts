/**
 * Uses of sandboxes by this process. A use is recorded in the store before a verb relies on a sandbox that runs, so that
 * no process stops it as idle; stop and use are decided by one transaction each (see `Store.beginUse`). One record
 * stands for all uses of this process, and lasts a second longer than the last: a warm command writes nothing.
 */
import { type Clock, momentOf } from '../lib/clock.ts';
import { isCode } from '../errors.ts';
import type { SandboxPatch, SandboxRow, Store } from '../store/store.ts';
import { touchIntervalMs } from './expiry.ts';

/** A durable write costs more than a short command. */
const oncePerMs = 1_000;
const lingerMs = 1_000;

interface Use {
  readonly row: SandboxRow;
  running: number;
  touchedAt: number;
  endedAt: number;
  readonly timer: NodeJS.Timeout;
}

export class Uses {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #uses = new Map<string, Use>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** False when the sandbox is not ready any more: it is being stopped, removed or made anew. */
  async begin(row: SandboxRow): Promise<boolean> {
    if (!this.#uses.has(keyOf(row)) && !(await this.#store.uses.begin(row.id, row.generation))) return false;
    this.hold(row);
    return true;
  }

  /** A further use within one that has begun. */
  hold(row: SandboxRow): void {
    const use = this.#uses.get(keyOf(row)) ?? this.#watch(row);
    use.running += 1;
    this.#touch(use);
  }

  end(row: SandboxRow): void {
    const use = this.#uses.get(keyOf(row));
    if (use === undefined) return;
    use.running -= 1;
    use.endedAt = performance.now();
    this.#touch(use);
  }

  /** Writes what was held back, and ends all. */
  close(): void {
    for (const use of this.#uses.values()) {
      use.touchedAt = -Infinity;
      this.#touch(use);
      this.#forget(use);
    }
  }

  #watch(row: SandboxRow): Use {
    const timer = setInterval(() => this.#tick(use), Math.min(lingerMs, touchIntervalMs(row.idleMs))).unref();
    const use: Use = { row, running: 0, touchedAt: -Infinity, endedAt: performance.now(), timer };
    this.#uses.set(keyOf(row), use);
    return use;
  }

  #tick(use: Use): void {
    const now = performance.now();
    if (use.running === 0) {
      if (now - use.endedAt >= lingerMs) this.#forget(use);
    } else if (now - use.touchedAt >= touchIntervalMs(use.row.idleMs)) this.#touch(use);
  }

  #forget(use: Use): void {
    clearInterval(use.timer);
    this.#uses.delete(keyOf(use.row));
    // One that cannot be written now ends with this process.
    this.#store.uses.end(use.row.id, use.row.generation).catch(() => undefined);
  }

  /** A touch that fails is made up for by the next one; a sandbox that was removed needs none. */
  #touch(use: Use): void {
    const now = performance.now();
    if (now - use.touchedAt < oncePerMs) return;
    use.touchedAt = now;
    this.#store.sandboxes.update(use.row.id, usedNow(this.#clock)).catch((error: unknown) => {
      if (!isCode(error, 'not_found')) use.touchedAt = -Infinity;
    });
  }
}

export function usedNow(clock: Clock): Pick<SandboxPatch, 'usedAt' | 'usedBoot'> {
  const { wallMs, boot } = momentOf(clock);
  return { usedAt: wallMs, usedBoot: boot };
}

function keyOf({ id, generation }: SandboxRow): string {
  return `${id}/${generation}`;
}
