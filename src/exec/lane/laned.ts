/**
 * A sandbox whose plain commands go through lanes; everything else about it is the sandbox's own.
 *
 * Execs with stdin or a terminal go the direct way, and so does the first one of a sandbox that has no lane yet: opening
 * a lane costs as much as an exec, so it only pays from the second command on.
 */
import type { ExecOptions, Process, Ref, ResourceState, Sandbox } from '../../backend.ts';
import { startDirect } from '../direct/start.ts';
import { Lanes } from './pool.ts';

export class LanedSandbox implements Sandbox {
  readonly ref: Ref;
  readonly state: ResourceState;
  readonly place: Sandbox['place'];
  readonly power?: NonNullable<Sandbox['power']>;
  readonly stats?: NonNullable<Sandbox['stats']>;
  readonly pty?: NonNullable<Sandbox['pty']>;
  readonly memory?: NonNullable<Sandbox['memory']>;
  readonly #sandbox: Sandbox;
  readonly #lanes: Lanes;
  #direct = 0;

  /** `nonce`: the one that the sandbox's first process was given, when that is a guardian. */
  constructor(sandbox: Sandbox, nonce: string | null) {
    const { ref, state, place, power, stats, pty, memory } = sandbox;
    Object.assign(this, { power, stats, pty, memory });
    [this.ref, this.state, this.place] = [ref, state, place];
    this.#sandbox = sandbox;
    const launcher = sandbox.pipes ?? sandbox;
    this.#lanes = new Lanes((command, options) => launcher.exec(command, options), sandbox.memory);
    if (sandbox.init !== undefined && nonce !== null)
      this.#lanes.adopt(sandbox.init, nonce, { forGood: sandbox.pipes === undefined });
  }

  /** Why there are no lanes here; `null` while nothing speaks against them. */
  get noLanes(): string | null {
    return this.#lanes.unusable;
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> {
    const process = options.stdin ? null : await this.#throughLane(command, options);
    if (process !== null) return process;
    return this.#sandbox.relay === true
      ? await startDirect(this.#sandbox, command, options)
      : await this.#sandbox.exec(command, options);
  }

  async destroy(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
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
