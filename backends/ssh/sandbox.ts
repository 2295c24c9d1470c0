import type { Cancelable, ExecOptions, Process, PtyOptions, Ref, ResourceState, Sandbox } from '../../src/backend.ts';
import { isCode } from '../../src/errors.ts';
import { throwIfAborted } from '../shared/abort.ts';
import type { Pool } from './pool.ts';
import type { Launch } from '../shared/preamble.ts';
import type { Entry, Registry } from './registry.ts';
import { carrierInto, type Scoped, sliceOf } from './scope.ts';
import { forgetLimits } from './slice.ts';
import { startProcess } from './start.ts';

export interface Host {
  readonly pool: Pool;
  readonly registry: Registry;
  /** `user@host:port`, as it was configured. */
  readonly label: string;
}

export function scopedOf({ scope, sandbox }: Entry): Scoped | null {
  return scope === null ? null : { scope, slice: sliceOf(sandbox) };
}

function ignoreGone(error: unknown): void {
  if (!isCode(error, 'not_found')) throw error;
}

/** A registration on the host, and every process there that carries its mark. */
export class SshSandbox implements Sandbox {
  readonly relay = true;
  readonly ref: Ref;
  readonly place: Sandbox['place'];
  readonly power: NonNullable<Sandbox['power']> = {
    stop: async (options) => {
      throwIfAborted(options);
      await this.#host.registry.stop(this.#entry);
      this.#state = 'stopped';
    },
    start: async (options) => {
      throwIfAborted(options);
      await this.#host.registry.start(this.#entry);
      this.#state = 'running';
    },
  };
  readonly pty: NonNullable<Sandbox['pty']> = {
    exec: async (command, options) => await this.#start(command, options, options),
  };
  readonly #host: Host;
  readonly #entry: Entry;
  #state: ResourceState;

  constructor(host: Host, entry: Entry, state: ResourceState) {
    this.ref = { v: 1, host: host.label, ...entry };
    this.place = { host: host.label, resource: entry.workspace, imageDigest: null };
    this.#host = host;
    this.#entry = entry;
    this.#state = state;
  }

  get state(): ResourceState {
    return this.#state;
  }

  exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> {
    return this.#start(command, options, null);
  }

  async destroy(options: Cancelable = {}): Promise<void> {
    throwIfAborted(options);
    const { pool, registry } = this.#host;
    const scoped = scopedOf(this.#entry);
    if (scoped !== null) await registry.stop(this.#entry).catch(ignoreGone);
    if (scoped !== null) await forgetLimits(pool, scoped);
    await registry.destroy(this.#entry);
  }

  async #start(
    command: readonly [string, ...string[]],
    options: Omit<PtyOptions, 'columns' | 'rows'> & { readonly stdin?: boolean },
    terminal: Launch['terminal'],
  ): Promise<Awaited<ReturnType<typeof startProcess>>> {
    throwIfAborted(options);
    const { directory, name, sandbox } = this.#entry;
    const { CAISSON_SANDBOX: _mark, ...env } = options.env;
    const scoped = scopedOf(this.#entry);
    const launch: Launch = {
      command,
      cwd: options.cwd,
      env,
      stdin: terminal !== null || options.stdin === true,
      guard: { file: `${directory}/${name}`, sandbox },
      terminal,
      carrier: scoped === null ? null : carrierInto(scoped),
    };
    return await startProcess(this.#host.pool, launch, { signal: options.signal, onSent: options.onSent });
  }
}
