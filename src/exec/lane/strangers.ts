/**
 * Whether a process lives in a sandbox beside its lanes. Such a process has the lanes' user, so it can read the request of
 * the next command from a lane's descriptors, answer in its place, or change the lane itself (ptrace(2)). Nothing that a
 * lane says proves its absence; the kernel of this host does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox, SandboxProcess } from '../../backend.ts';

type Processes = NonNullable<Sandbox['processes']>;

/** Pauses before another look: the last child of a command may be about to end, or to be reaped by its new parent. */
const endingMs = [2, 10, 30];

/** Session 1 is that of the first process: a command leads a session of its own, and no process joins another's. */
const ownSession = 1;
const firstProcess = 1;

export class Strangers {
  readonly #processes: Processes;
  #known: ReadonlySet<number> = new Set();

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  /** `lanesNow`: pids of lanes; no command may be running. `null` when the processes cannot be seen. */
  async live(lanesNow: () => ReadonlySet<number>): Promise<boolean | null> {
    for (const pause of [...endingMs, 0]) {
      const lanes = lanesNow();
      const listed = await this.#processes.list(new Set([firstProcess, ...lanes]));
      if (listed === null) return null;
      const strangers = strangersAmong(listed, lanes);
      const isKnown = strangers.some((pid) => this.#known.has(pid));
      if (strangers.length === 0 || isKnown || pause === 0) {
        this.#known = new Set(strangers);
        return strangers.length > 0;
      }
      await sleep(pause);
    }
    return true;
  }
}

/**
 * The child of an idle lane is the one that stands ready: what a command leaves behind goes to the first process. Lanes
 * that the first process keeps may not be known yet, or not any more.
 */
export function strangersAmong(processes: readonly SandboxProcess[], lanes: ReadonlySet<number>): readonly number[] {
  const others = processes.filter(({ pid, session }) => session === ownSession && pid !== firstProcess);
  const own = new Set([...lanes, ...others.map(({ pid }) => pid)]);
  return processes
    .filter(({ pid, parent, session }) => session !== ownSession && !own.has(pid) && !own.has(parent))
    .map(({ pid }) => pid);
}
