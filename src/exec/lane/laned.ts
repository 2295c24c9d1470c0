/**
 * A sandbox whose plain commands go through lanes; everything else about it is the sandbox's own.
 *
 * Execs with stdin or a terminal go the direct way, and so does the first one of a sandbox that has no lane yet: opening
 * a lane costs as much as an exec, so it only pays from the second command on. Nor is there a lane beside a process that has
 * outlived its command, and none for an environment with secrets unless nothing else is seen to live in the sandbox: see
 * `strangers.ts`. What is not looked for, since it looks like a command, is such a process beside commands that
 * still run. Nothing shows that a command has read or written the memory of a lane (proc_pid_mem(5)): where the kernel does not keep it
 * from that, no secret goes through one.
 */
import type { DestroyOptions, ExecOptions, Process, Ref, ResourceState, Sandbox } from '../../backend.ts';
import { runScript } from '../../inside/run.ts';
import { given } from '../../lib/given.ts';
import { startDirect } from '../direct/start.ts';
import { sandboxOf } from '../user.ts';
import { deathNotice } from './guardian.ts';
import { sinceBoot, type Strays } from '../kill/strays.ts';
import { Lanes } from './pool.ts';
import { fitsLane } from './request.ts';
import { LaneTally } from './tally.ts';
import { Strangers } from './strangers.ts';

type Command = readonly [string, ...string[]];
type Ground = Pick<Sandbox, 'exec' | 'dropsLate'>;

interface How {
  readonly enabled?: boolean;
  /** Counts which way commands go. */
  readonly tally?: LaneTally;
}

/** It reads two files of each process, while no command waits. */
const closelyEveryMs = 100;
/** Time that the child of a lane takes to get ready: a look at the processes holds for it, unless a command began. */
const looksHoldMs = 2;
const openMemory =
  'it went past lanes, which takes longer: it has secrets, and processes of its sandbox can write the memory of others; sysctl kernel.yama.ptrace_scope=1 on the host of the sandbox lets it through them';
/** Why a configuration has none, for `noLanes`. */
const switchedOff = 'exec.lanes is false';

export class LanedSandbox implements Sandbox {
  readonly ref: Ref;
  readonly state: ResourceState;
  readonly place: Sandbox['place'];
  readonly power?: NonNullable<Sandbox['power']>;
  readonly stats?: NonNullable<Sandbox['stats']>;
  readonly egress?: NonNullable<Sandbox['egress']>;
  readonly pty?: NonNullable<Sandbox['pty']>;
  readonly memory?: NonNullable<Sandbox['memory']>;
  readonly carrier?: NonNullable<Sandbox['carrier']>;
  readonly controls?: NonNullable<Sandbox['controls']>;
  readonly users?: NonNullable<Sandbox['users']>;
  readonly #sandbox: Sandbox;
  readonly #lanes: Lanes;
  readonly #strangers: Strangers | null;
  readonly #enabled: boolean;
  readonly #tally: LaneTally;
  #direct = 0;
  #hasEndedLeft = false;
  /** Commands that have not ended, and those that are being started. */
  #running = 0;
  /** `sinceMs`: a look made since then shows what lived here before them. `begun`: how many there have been in all. */
  #busy = { sinceMs: -Infinity, begun: 0 };
  /** When nothing was seen to live here but what is Caisson's: nothing can start another process then until a command begins. */
  #aloneAtMs = -Infinity;
  #memory: 'protected' | 'open' | 'unknown' = 'unknown';
  #hasToldOfMemory = false;
  #lookedCloselyAt = -Infinity;

  /**
   * `nonce`: the one that the sandbox's first process was given, when that is a guardian. Not `enabled`: every command goes
   * the direct way.
   */
  constructor(sandbox: Sandbox, nonce: string | null, { enabled = true, tally = new LaneTally() }: How = {}) {
    const { ref, state, place, power, stats, pty, memory, processes, egress, carrier, controls, users } = sandbox;
    Object.assign(this, { power, stats, memory, egress, carrier, controls });
    if (pty !== undefined) this.pty = { exec: (command, options) => this.#counted(pty.exec(command, options)) };
    if (users !== undefined) this.users = { as: (user) => this.#as(users.as(user)) };
    this.ref = ref;
    this.state = state;
    this.place = place;
    this.#sandbox = sandbox;
    this.#enabled = enabled;
    this.#tally = tally;
    this.#strangers = processes === undefined ? null : new Strangers(processes);
    const launcher = sandbox.pipes ?? sandbox;
    const bounded = sandbox.keepsInput === true;
    const mayStandReady = async (): Promise<boolean> => await this.#isAlone();
    this.#lanes = new Lanes((command, options) => launcher.exec(command, options), { memory, bounded, mayStandReady });
    if (!enabled) sandbox.init?.release();
    else if (sandbox.init !== undefined && nonce !== null)
      this.#lanes.adopt(sandbox.init, deathNotice(nonce), { forGood: sandbox.pipes === undefined });
  }

  /** Lanes that are there or on their way. */
  get lanes(): number {
    return this.#lanes.size;
  }

  /** Why there are no lanes here; `null` while nothing speaks against them. */
  get noLanes(): string | null {
    return this.#enabled ? this.#lanes.unusable : switchedOff;
  }

  /** Whether the kernel keeps processes of the sandbox from the memory of lanes, once it was measured. */
  heedMemory(memory: 'protected' | 'open'): void {
    this.#memory = memory;
  }

  /** Whether its next command may come much later, and from another process: see `IdleLanes`. */
  get standsBy(): boolean {
    return this.#lanes.idle.standsBy;
  }

  set standsBy(isLong: boolean) {
    this.#lanes.idle.standsBy = isLong;
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> {
    return await this.#counted(this.#start(command, options));
  }

  async #start(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> {
    const mayLane = this.#enabled && !options.stdin && (await this.#trusts(options));
    const process = mayLane ? await this.#throughLane(command, options) : null;
    this.#tally.add(process === null ? 'direct' : 'lane');
    if (process !== null) return process;
    if (options.confidential === true && options.onNote !== undefined && this.#isMemoryTheReason(command, options)) {
      this.#hasToldOfMemory = true;
      options.onNote(openMemory);
    }
    return await this.#startPast(this.#sandbox, command, options);
  }

  /** Past lanes, which are shells of root. */
  #as(place: Pick<Sandbox, 'exec' | 'pty'>): Pick<Sandbox, 'exec' | 'pty'> {
    const { dropsLate } = this.#sandbox;
    const { pty } = place;
    const plain = { exec: (command: Command, options: ExecOptions) => place.exec(command, options) };
    const start = async (command: Command, options: ExecOptions): Promise<Process> => {
      this.#tally.add('direct');
      return await this.#startPast({ ...plain, ...given({ dropsLate }) }, command, options);
    };
    return {
      exec: async (command, options) => await this.#counted(start(command, options)),
      ...(pty === undefined ? {} : { pty: { exec: (command, options) => this.#counted(pty.exec(command, options)) } }),
    };
  }

  async #startPast(place: Ground, command: Command, options: ExecOptions): Promise<Process> {
    return this.#sandbox.relay === true
      ? await startDirect(place, command, options)
      : await place.exec(command, options);
  }

  /**
   * Whether unprotected process memory is the only reason that this command bypasses the lanes, and no exit has said so yet. Each
   * bypass costs some milliseconds.
   */
  #isMemoryTheReason(command: readonly [string, ...string[]], { stdin, cwd, env }: ExecOptions): boolean {
    if (this.#memory !== 'open' || this.#hasToldOfMemory || stdin || this.noLanes !== null) return false;
    const isFirst = this.#lanes.size === 0 && this.#direct === 0;
    const isBesideOthers = this.#running > 1 || (this.#strangers?.seenSince(-Infinity)?.size ?? 0) > 0;
    return !isFirst && !isBesideOthers && fitsLane({ command, cwd, env });
  }

  async #counted<T extends Process>(starting: Promise<T>): Promise<T> {
    const ended = (): void => void (this.#running -= 1);
    if (this.#running === 0) this.#busy = { sinceMs: this.#isHeld() ? this.#aloneAtMs : performance.now(), begun: 0 };
    this.#aloneAtMs = -Infinity;
    this.#running += 1;
    this.#busy.begun += 1;
    try {
      const process = await starting;
      process.wait().then(ended, ended);
      return process;
    } catch (error) {
      ended();
      throw error;
    }
  }

  /** Whether the environment may pass through a lane, whose answers can then be believed. Others that run are counted by now. */
  async #trusts({ confidential = false }: ExecOptions): Promise<boolean> {
    if (confidential && this.#memory !== 'protected') return false;
    if (this.#running > 0) return !confidential;
    if (this.#isHeld()) return true;
    const live = await this.#strangers?.live(() => this.#lanes.own);
    if (live === true && this.#running > 1) return !confidential;
    if (live === true) this.#lanes.distrust();
    this.#endLeft();
    return live === undefined || live === null ? !confidential && !this.#lanes.outlived : !live;
  }

  /** What an earlier Caisson left standing ready would keep commands out of lanes for good. */
  #endLeft(): void {
    const left = this.#strangers?.left ?? [];
    if (left.length === 0 || this.#hasEndedLeft) return;
    this.#hasEndedLeft = true;
    // One that cannot be ended is a stranger as before.
    void this.#killBare(left);
  }

  /** Commands that run look like strangers: beside them, none stands ready where it is looked for strangers at all. */
  async #isAlone(): Promise<boolean> {
    if (this.#strangers === null) return true;
    if (this.#running > 0) return false;
    const busy = this.#busy;
    const live = await this.#strangers.live(() => this.#lanes.own, this.#looksClosely());
    // A command that began since then may have been what was seen, or have left what was not seen yet.
    if (this.#busy !== busy) return false;
    if (live === true) this.#lanes.distrust();
    this.#aloneAtMs = live === false ? this.#strangers.lookedAtMs : -Infinity;
    return live !== true;
  }

  /** Whether the last look, which found the sandbox empty, is recent enough to be valid still. */
  #isHeld(): boolean {
    return performance.now() - this.#aloneAtMs < looksHoldMs;
  }

  /** Who stops or traces a process is a stranger too: what it has left is looked for now and then, off most commands' way. */
  #looksClosely(): boolean {
    const isDue = performance.now() - this.#lookedCloselyAt > closelyEveryMs;
    if (isDue) this.#lookedCloselyAt = performance.now();
    return isDue;
  }

  /** For a command that was sent then and runs. Those that began in this stretch of work are counted, also when they have ended. */
  strays(sentAtMs: number, user?: string): Strays | null {
    const strangers = this.#strangers;
    if (strangers === null) return null;
    const alone = this.#busy.begun === 1;
    const before = alone ? strangers.seenSince(this.#busy.sinceMs) : null;
    const sinceMs = sinceBoot(sentAtMs);
    return {
      alone,
      look: async () => await strangers.straysSince(sinceMs, before, this.#lanes.own),
      kill: async (pids) => await this.#killBare(pids, user),
    };
  }

  /** A process that has ended meanwhile does not fail the kill. */
  async #killBare(pids: readonly number[], user?: string): Promise<void> {
    const args = pids.map(String);
    const place = sandboxOf(this.#sandbox, user);
    await runScript(place, { name: 'end-strays', script: 'kill -9 "$@"', args }).catch(() => undefined);
  }

  async destroy(options: DestroyOptions = {}): Promise<void> {
    this.close();
    await this.#sandbox.destroy(options);
  }

  /** Gives the lanes up. The sandbox lives on. */
  close(): void {
    this.#lanes.close();
  }

  async #throughLane(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process | null> {
    if (this.#lanes.size === 0 && this.#direct === 0) {
      this.#direct += 1;
      return null;
    }
    const { cwd, env } = options;
    return await this.#lanes.exec({ command, cwd, env }, options);
  }
}
