/**
 * Tells the store that sandboxes are in use while commands run in them, so that no process takes them for idle. A
 * durable write costs more than a short command, so it is written at most once a second, however many run.
 */
import { isCode } from '../errors.ts';
import type { SandboxRow, Store } from '../store/store.ts';
import { touchIntervalMs } from './expiry.ts';

const oncePerMs = 1_000;

interface Use {
  running: number;
  touchedAt: number;
  readonly timer: NodeJS.Timeout;
}

export class Uses {
  readonly #store: Store;
  readonly #uses = new Map<string, Use>();

  constructor(store: Store) {
    this.#store = store;
  }

  begin(row: SandboxRow): void {
    const use = this.#uses.get(row.id) ?? this.#watch(row);
    use.running += 1;
    this.#touch(row.id, use);
  }

  end(row: SandboxRow): void {
    const use = this.#uses.get(row.id);
    if (use === undefined) return;
    use.running -= 1;
    this.#touch(row.id, use);
  }

  /** Writes what was held back, and stops. */
  close(): void {
    for (const [id, use] of this.#uses) {
      clearInterval(use.timer);
      use.touchedAt = -Infinity;
      this.#touch(id, use);
    }
    this.#uses.clear();
  }

  #watch(row: SandboxRow): Use {
    const timer = setInterval(() => this.#tick(row.id), touchIntervalMs(row.idleMs)).unref();
    const use: Use = { running: 0, touchedAt: -Infinity, timer };
    this.#uses.set(row.id, use);
    return use;
  }

  #tick(id: string): void {
    const use = this.#uses.get(id);
    if (use === undefined) return;
    if (use.running > 0) this.#touch(id, use);
    else {
      clearInterval(use.timer);
      this.#uses.delete(id);
    }
  }

  /** A touch that fails is made up for by the next one; a sandbox that was removed has nothing to be told. */
  #touch(id: string, use: Use): void {
    const now = performance.now();
    if (now - use.touchedAt < oncePerMs) return;
    use.touchedAt = now;
    this.#store.updateSandbox(id, { usedAt: Date.now() }).catch((error: unknown) => {
      if (!isCode(error, 'not_found')) use.touchedAt = -Infinity;
    });
  }
}
