/**
 * Whether a process lives in a sandbox beside its lanes. Such a process has the lanes' user, so it can read the request of
 * the next command from a lane's descriptors, answer in its place, or change the lane itself (ptrace(2)). Nothing that a
 * lane says proves its absence; the kernel of this host does.
 *
 * It is looked for while no command runs and no child stands ready: then every child of a lane is a stranger, and the child that
 * the lane starts afterwards is its own. A process of Caisson that is stopped or traced shows one as well.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox, SandboxProcess } from '../../backend.ts';
import { type Stray, straysAmong } from '../kill/strays.ts';

type Processes = NonNullable<Sandbox['processes']>;

/** Those that Caisson has started, as it knows them at the moment. */
export interface Own {
  /** Shells of lanes. */
  readonly lanes: ReadonlySet<number>;
  /** Children that stand ready: none is started while anything else lives here. */
  readonly children: ReadonlySet<number>;
  /** Lanes that have such a child, and have not said yet which it is. */
  readonly parents: ReadonlySet<number>;
}

/** Pauses before another look: the last child of a command may be about to end, or to be reaped by its new parent. */
const endingMs = [2, 10, 30];

const firstProcess = 1;
/** That of the first process: a command leads a session of its own, and no process joins another's. */
const firstSession = 1;

export class Strangers {
  /** Those that a lane of an earlier Caisson had stand ready: they wait for a request that will not come. */
  left: readonly number[] = [];
  readonly #processes: Processes;
  /** Those of the last look, and when it was. */
  #known: ReadonlySet<number> = new Set();
  #lookedAtMs = -Infinity;

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  get lookedAtMs(): number {
    return this.#lookedAtMs;
  }

  /** Those that lived at the last look, if there was one since. */
  seenSince(sinceMs: number): ReadonlySet<number> | null {
    return this.#lookedAtMs >= sinceMs ? this.#known : null;
  }

  /** Processes that have, or may have, started since, and that Caisson does not know. */
  async straysSince(sinceMs: number, before: ReadonlySet<number> | null, own: Own): Promise<readonly Stray[] | null> {
    const listed = await this.#processes.details();
    if (listed === null) return null;
    const strangers = new Set(strangersAmong(listed, own));
    const others = listed.filter(({ pid, session }) => strangers.has(pid) && session !== firstSession);
    return straysAmong(others, { sinceMs, before });
  }

  /**
   * `ownNow`: no command may be running. `closely`: those of Caisson are looked at too. `null` when the processes cannot be
   * seen.
   */
  async live(ownNow: () => Own, closely = false): Promise<boolean | null> {
    for (const pause of [...endingMs, 0]) {
      const own = ownNow();
      const known = closely ? [] : [firstProcess, ...own.lanes, ...own.children];
      const listed = await this.#processes.list(new Set(known));
      if (listed === null) return null;
      const strangers = strangersAmong(listed, own);
      const isKnown = strangers.some((pid) => this.#known.has(pid));
      if (strangers.length === 0 || isKnown || pause === 0) {
        this.#known = new Set(strangers);
        this.#lookedAtMs = performance.now();
        this.left = leftAmong(listed, own);
        return strangers.length > 0;
      }
      await sleep(pause);
    }
    return true;
  }
}

/** Also those of Caisson that are stopped or traced. */
export function strangersAmong(processes: readonly SandboxProcess[], own: Own): readonly number[] {
  const accepted = new Set([firstProcess, ...own.lanes, ...own.children]);
  for (const pid of [...oneChildOfEach(processes, own.parents), ...childOfFirst(processes, own)]) accepted.add(pid);
  return processes.filter(({ pid, isHalted }) => isHalted || !accepted.has(pid)).map(({ pid }) => pid);
}

function leftAmong(processes: readonly SandboxProcess[], own: Own): readonly number[] {
  const [child] = childOfFirst(processes, own);
  return processes.filter(({ pid, parent, session }) => parent === child && session === pid).map(({ pid }) => pid);
}

function oneChildOfEach(processes: readonly SandboxProcess[], lanes: ReadonlySet<number>): readonly number[] {
  return [...lanes].flatMap((lane) => processes.find(({ parent }) => parent === lane)?.pid ?? []);
}

/**
 * The first process waits for one child, a lane that may not be known any more, or `sleep`. In its session there is nothing else:
 * what a command leaves behind leads a session of its own.
 */
function childOfFirst(processes: readonly SandboxProcess[], { lanes }: Own): readonly number[] {
  const child = processes.find(({ parent, session }) => parent === firstProcess && session === firstSession);
  return child === undefined || lanes.has(child.pid) ? [] : [child.pid];
}
