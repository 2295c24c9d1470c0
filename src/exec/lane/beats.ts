/**
 * Shows the lanes of a sandbox that this process lives. Where a service holds the streams, the end of this process closes
 * no pipe: a lane that waits would do so for ever, and a sandbox that is billed would count as active. So a bounded lane ends
 * by itself when it has read nothing for twenty seconds. An idle lane is written an empty line every five, which nothing
 * waits for; one that runs a command does not read, and begins to count when the command has ended.
 *
 * A process that stood still for longer than that margin finds its lanes ended. It may still see them as idle, and a
 * request to a lane that is gone is lost: so idle lanes that had no beat for too long are given up before they get one.
 */
import type { Lane } from './lane.ts';

const everyMs = 5_000;
/** Milliseconds without a beat that end a lane; the rest of the twenty seconds is for the way there. */
const lateMs = 12_000;

export class Beats {
  readonly #lanes: ReadonlySet<Lane>;
  readonly #timer: NodeJS.Timeout;
  #last = now();

  constructor(lanes: ReadonlySet<Lane>) {
    this.#lanes = lanes;
    this.#timer = setInterval(() => this.#beat(), everyMs).unref();
  }

  /** Closes idle lanes that may have ended by themselves. To be called before one of them is chosen. */
  closeLate(): void {
    const { steady, wall } = now();
    if (Math.max(steady - this.#last.steady, wall - this.#last.wall) < lateMs) return;
    this.#last = { steady, wall };
    for (const lane of this.#lanes) if (lane.state === 'idle') lane.close();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    this.closeLate();
    this.#last = now();
    for (const lane of this.#lanes) lane.beat();
  }
}

/** A suspended machine stops the first of them only, and a step of the clock moves the second only. */
function now(): { readonly steady: number; readonly wall: number } {
  return { steady: performance.now(), wall: Date.now() };
}
