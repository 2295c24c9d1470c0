/**
 * The lanes of one sandbox: opened on demand, as many as the load wants, closed when it goes.
 *
 * Short commands are bound by the processor, and a few lanes keep it busy; long commands occupy lanes, so more are
 * opened when all have been busy for a while. Each lane costs the sandbox one process, and one more while it stands ready.
 *
 * Where commands come one at a time, a lane starts the process of the next one ahead (`standReady`): that is more work for
 * the machine in all, and half of it is done while no command waits. Where many come at once, it is not.
 */
import type { ExecOptions, Process, Sandbox } from '../../backend.ts';
import { abortError, isCode, toCaissonError } from '../../errors.ts';
import { newNonce } from '../random.ts';
import { Beats } from './beats.ts';
import { timeoutMs, wantsMore } from './growth.ts';
import type { LaneStart } from './hello.ts';
import { IdleLanes } from './idle.ts';
import type { Lane } from './lane.ts';
import { whenOpened } from './opened.ts';
import { openLane } from './opening.ts';
import { ownOf } from './own.ts';
import { fitsLane, type LaneCommand } from './request.ts';
import { laneStart } from './script.ts';
import type { Own } from './strangers.ts';

export type Launch = (command: readonly [string, ...string[]], options: ExecOptions) => Promise<Process>;

type How = {
  readonly memory?: Sandbox['memory'];
  /** The end of this process does not end its lanes, so that they look for it themselves. */
  readonly bounded?: boolean;
  /** Asked before a child stands ready: whether it can be distinguished later from processes of others. */
  readonly mayStandReady?: () => Promise<boolean>;
};

interface Waiter {
  readonly since: number;
  readonly give: (lane: Lane | null) => void;
  readonly fail: (error: unknown) => void;
}

/** All lanes have been busy for as long: their commands may run for ever. */
const stuckMs = 250;
/** So many commands, and the sandbox is in use: a lane of its own pays then, where it is faster than the adopted one. */
const adoptedRuns = 3;
/** A lane takes about as long to get ready; a command that comes sooner is better off in another one. */
const gettingReadyMs = 2;
/** A lane with no child ahead ranks as one whose child started this long ago. */
const unreadyMs = 1;
/** So many that came sooner, one after the other: a second lane pays. */
const hurriedRuns = 8;

export class Lanes {
  /** Whether a process was seen that lived on after its command. */
  outlived = false;
  readonly #launch: Launch;
  readonly #how: How;
  readonly #lanes = new Set<Lane>();
  readonly #waiters = new Set<Waiter>();
  readonly idle = new IdleLanes();
  /** Given to a waiter that has not taken it yet. */
  readonly #promised = new Set<Lane>();
  /** Beats of bounded lanes; `null` for others. */
  readonly #beats: Beats | null;
  /** Ends lanes that are still being opened. */
  readonly #closing = new AbortController();
  #looking: NodeJS.Timeout | null = null;
  #opening = 0;
  /** One that serves until there is another, and how many commands it still takes before that is opened. */
  #stopgap: { readonly lane: Lane; left: number } | null = null;
  #unusable: string | null = null;
  /** To be closed as soon as they are idle. */
  readonly #distrusted = new WeakSet<Lane>();
  /** Commands that came before a lane was ready. */
  #hurried = 0;

  constructor(launch: Launch, how: How = {}) {
    this.#launch = launch;
    this.#how = how;
    this.#beats = how.bounded === true ? new Beats(this.#lanes) : null;
  }

  /** Lanes that are there or on their way. */
  get size(): number {
    return this.#lanes.size + this.#opening;
  }

  /** Why this sandbox has no lanes; `null` while none was tried or they work. */
  get unusable(): string | null {
    return this.#unusable;
  }

  /** Its processes in the sandbox. */
  get own(): Own {
    return ownOf(this.#lanes);
  }

  /** Gives up the lanes that are there, when their commands have ended. Later commands get new ones. */
  distrust(): void {
    for (const lane of this.#lanes) {
      if (lane.state === 'idle') lane.close();
      else this.#distrusted.add(lane);
    }
  }

  /**
   * Runs a command in a lane. `null` when it has to go another way: it does not fit, this sandbox has no lanes, or all are
   * busy with commands that do not end.
   * Throws what starting the lane's shell throws when the sandbox itself is not there, and `invalid_argument` for a
   * directory that cannot be entered.
   */
  async exec(
    request: LaneCommand,
    { signal, onSent }: Pick<ExecOptions, 'signal' | 'onSent'> = {},
  ): Promise<Process | null> {
    if (this.#unusable !== null || !fitsLane(request)) return null;
    for (;;) {
      const lane = this.#idle() ?? (await this.#wait(signal));
      if (lane === null) return null;
      this.#promised.delete(lane);
      this.idle.delete(lane);
      if (lane.state !== 'idle') continue; // it died on the way to us
      this.#countStopgap(lane);
      this.#countHurried(lane);
      onSent?.();
      return await whenOpened(lane.run(request), request.cwd, signal);
    }
  }

  /** Waiting and later commands go the direct way. */
  close(): void {
    this.idle.stop();
    this.#beats?.stop();
    if (this.#looking !== null) clearTimeout(this.#looking);
    this.#unusable ??= 'they were closed';
    this.#closing.abort();
    for (const { give } of this.#waiters) give(null);
    for (const lane of this.#lanes) lane.close();
  }

  /** The first one that is ready. So what is not needed stays idle, and is closed. */
  #idle(): Lane | null {
    this.#beats?.closeLate();
    const idle = [...this.#lanes].filter((lane) => lane.state === 'idle' && !this.#promised.has(lane));
    const readiness = ({ child }: Lane): number => Math.min(child?.sinceMs ?? unreadyMs, gettingReadyMs);
    return idle.toSorted((a, b) => readiness(b) - readiness(a))[0] ?? null;
  }

  #countHurried({ child }: Lane): void {
    if (child === null || child.sinceMs >= gettingReadyMs || this.#lanes.size > 1) return;
    this.#hurried += 1;
    if (this.#hurried >= hurriedRuns && this.#opening === 0) void this.#open();
  }

  /** Starts a child ahead when nothing else runs, after the reader of the last command had its turn. */
  #getReady(lane: Lane): void {
    if ([...this.#lanes].some(({ state }) => state !== 'idle')) return;
    setImmediate(() => void this.#standReady(lane));
  }

  async #standReady(lane: Lane): Promise<void> {
    if (this.#promised.has(lane) || this.idle.standsBy) return;
    if (this.#how.mayStandReady !== undefined && !(await this.#how.mayStandReady())) return;
    if (!this.#promised.has(lane)) lane.standReady();
  }

  async #wait(signal: AbortSignal | undefined): Promise<Lane | null> {
    if (signal?.aborted === true) throw abortError(signal);
    const { promise, resolve, reject } = Promise.withResolvers<Lane | null>();
    const waiter: Waiter = { since: performance.now(), give: resolve, fail: reject };
    const onAbort = (): void => {
      this.#waiters.delete(waiter); // before anybody gives it a lane
      reject(abortError(signal ?? AbortSignal.abort()));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiters.add(waiter);
    this.#grow();
    this.#lookLater();
    try {
      return await promise;
    } finally {
      this.#waiters.delete(waiter);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Looks again while somebody waits: a command that turns out long makes room for another lane. */
  #lookLater(): void {
    this.#looking ??= setTimeout(() => {
      this.#looking = null;
      this.#relieve();
      if (this.#waiters.size === 0) return;
      this.#grow();
      this.#lookLater();
    }, timeoutMs).unref();
  }

  /** Who has waited long enough for commands that do not end goes the direct way. */
  #relieve(): void {
    const before = performance.now() - stuckMs;
    if (this.#lanes.size === 0 || [...this.#lanes].some((lane) => lane.startedAt > before)) return;
    for (const { since, give } of this.#waiters) if (since < before) give(null);
  }

  #grow(): void {
    if (this.#unusable !== null || this.#opening > 0) return;
    const waitedMs = performance.now() - ([...this.#waiters][0]?.since ?? performance.now());
    if (wantsMore(this.#lanes, waitedMs)) void this.#open();
  }

  /**
   * Has a guardian keep a lane, which is in the pool as soon as it says hello. Not `forGood`: lanes that are opened are faster,
   * so that one of them replaces it once there has been some use for it.
   */
  adopt(process: Process, notice: string, { forGood }: { readonly forGood: boolean }): void {
    const nonce = newNonce();
    if (process.stdin === null) return process.release();
    void this.#add(async () => process, { nonce, notice, ...laneStart(nonce) }).then((lane) => {
      if (lane !== null && !forGood) this.#stopgap = { lane, left: adoptedRuns };
    });
  }

  #countStopgap(lane: Lane): void {
    if (this.#stopgap?.lane !== lane || this.idle.standsBy) return;
    this.#stopgap.left -= 1;
    if (this.#stopgap.left <= 0 && this.size === 1) void this.#open();
  }

  #dropStopgap(): void {
    const lane = this.#stopgap?.lane;
    if (lane?.state !== 'idle' || this.#promised.has(lane) || this.#lanes.size < 2) return;
    this.#stopgap = null;
    lane.close();
  }

  async #open(): Promise<void> {
    const nonce = newNonce();
    const options = { cwd: '/', env: { CAISSON_EXEC: 'lane' }, stdin: true, signal: this.#closing.signal };
    const { command, program } = laneStart(nonce, this.#how);
    await this.#add(() => this.#launch(command, options), { nonce, program });
  }

  async #add(start: () => Promise<Process>, how: LaneStart): Promise<Lane | null> {
    this.#opening += 1;
    try {
      const lane = await openLane(await start(), how, {
        onChange: (changed) => this.#changed(changed),
        onOutlived: () => (this.outlived = true),
        memory: this.#how.memory,
        signal: this.#closing.signal,
      });
      this.#lanes.add(lane);
      this.#changed(lane);
      return lane;
    } catch (error) {
      this.#failed(error);
      return null;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Every waiter gets the error of a sandbox that is gone; one that has no usable shell sends them the direct way for good. */
  #failed(error: unknown): void {
    const { code, message } = toCaissonError(error);
    const gone = code === 'not_found' || code === 'failed_precondition' || code === 'unavailable';
    if (!gone && this.#lanes.size === 0 && !isCode(error, 'resource_exhausted')) this.#unusable = message;
    if (this.#lanes.size > 0) return;
    for (const waiter of this.#waiters) {
      if (gone) waiter.fail(error);
      else waiter.give(null);
    }
  }

  #changed(lane: Lane): void {
    if (lane.state === 'retired') {
      this.#lanes.delete(lane);
      this.idle.delete(lane);
      if (this.#waiters.size > 0) this.#grow();
      return;
    }
    if (lane.state === 'idle' && this.#distrusted.has(lane)) return lane.close();
    this.#dropStopgap();
    if (lane.state !== 'idle') return;
    const [next] = this.#waiters;
    if (next === undefined) {
      this.idle.add(lane);
      this.#getReady(lane);
      return;
    }
    this.#waiters.delete(next);
    this.#promised.add(lane);
    next.give(lane);
  }
}
