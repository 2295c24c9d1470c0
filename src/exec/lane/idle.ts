/** Lanes that wait for a command: each is closed when none has come for a while, unless they stand by. */
import type { Lane } from './lane.ts';

const idleCloseMs = 60_000;

export class IdleLanes {
  /**
   * No command is to come for long: they stay open, and no child stands ready in them, which another process of Caisson would take for
   * one that a command has left.
   */
  standsBy = false;
  readonly #since = new Map<Lane, number>();
  readonly #closer: NodeJS.Timeout;

  constructor() {
    this.#closer = setInterval(() => this.#closeOld(), idleCloseMs / 4).unref();
  }

  add(lane: Lane): void {
    this.#since.set(lane, performance.now());
  }

  delete(lane: Lane): void {
    this.#since.delete(lane);
  }

  /** No lane is closed by its age any more. */
  stop(): void {
    clearInterval(this.#closer);
  }

  #closeOld(): void {
    if (this.standsBy) return;
    const now = performance.now();
    for (const [lane, since] of this.#since) if (now - since > idleCloseMs) lane.close();
  }
}
