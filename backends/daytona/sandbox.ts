import type {
  Cancelable,
  ExecOptions,
  PowerOptions,
  Process,
  PtyOptions,
  PtyProcess,
  Ref,
  ResourceState,
  Sandbox,
} from '../../src/backend.ts';
import { throwIfAborted } from '../shared/abort.ts';
import type { Launch } from '../shared/preamble.ts';
import type { Account } from './account.ts';
import { Activity } from './activity.ts';
import { limitTo, notStartedError } from './network.ts';
import { resourceState } from './records.ts';
import type { Handle } from './sdk.ts';
import { bringTo, find, present, remove } from './settle.ts';
import { type StartTarget, startProcess } from './start.ts';
import { startTerminal } from './terminal.ts';

export function refOf({ id }: Handle): Ref {
  return { v: 1, id };
}

export class DaytonaSandbox implements Sandbox {
  readonly relay = true;
  readonly keepsInput = true;
  readonly ref: Ref;
  readonly place: Sandbox['place'];
  readonly power: NonNullable<Sandbox['power']> = {
    stop: async (options) => this.#bringTo('stopped', options),
    start: async (options) => {
      await this.#bringTo('started', options);
      if (options.egress !== undefined) await this.#limitTo(options.egress, options);
    },
  };
  readonly egress: NonNullable<Sandbox['egress']> = {
    replace: async (hosts, options = {}) => this.#limitTo(hosts, options),
  };
  readonly pty: NonNullable<Sandbox['pty']> = {
    exec: (command, options) => this.#onTerminal(command, options),
  };
  readonly #account: Account;
  readonly #id: string;
  readonly #activity: Activity;
  #handle: Handle;
  #state: ResourceState;

  constructor(account: Account, handle: Handle) {
    this.#account = account;
    this.#handle = handle;
    this.#id = handle.id;
    this.#state = resourceState(handle.state);
    this.ref = refOf(handle);
    this.place = { host: `daytona ${handle.target}`, resource: handle.id, imageDigest: null };
    this.#activity = new Activity(() => this.#handle.refreshActivity());
  }

  get state(): ResourceState {
    return this.#state;
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> {
    throwIfAborted(options);
    const { cwd, env, stdin } = options;
    const launch: Launch = { command, cwd, env, stdin, guard: null, terminal: null };
    const process = await startProcess(this.#terminals(), launch, options);
    this.#activity.during(process.wait());
    return process;
  }

  async destroy(options: Cancelable = {}): Promise<void> {
    throwIfAborted(options);
    await remove(this.#account, this.#id, options);
  }

  async #onTerminal(command: readonly [string, ...string[]], options: PtyOptions): Promise<PtyProcess> {
    throwIfAborted(options);
    const { cwd, env, columns, rows } = options;
    const launch: Launch = { command, cwd, env, stdin: true, guard: null, terminal: { columns, rows } };
    const process = await startTerminal(this.#terminals(), launch, options);
    this.#activity.during(process.wait());
    return process;
  }

  async #bringTo(wanted: 'started' | 'stopped', options: PowerOptions): Promise<void> {
    throwIfAborted(options);
    this.#handle = await bringTo(this.#account, this.#id, wanted, options);
    this.#state = wanted === 'started' ? 'running' : 'stopped';
  }

  async #limitTo(hosts: readonly string[], options: Cancelable): Promise<void> {
    throwIfAborted(options);
    this.#handle = await limitTo(this.#account, this.#id, hosts, options);
  }

  #terminals(): StartTarget {
    return {
      toolbox: async () => this.#handle.process,
      explain: async () => {
        const handle = await present(this.#account, this.#id);
        if (handle.state !== 'started') throw notStartedError(handle);
      },
      isThere: () => this.#mayRun(),
    };
  }

  /** True also when the service does not answer: then it is not known to have ended. */
  async #mayRun(): Promise<boolean> {
    try {
      return (await find(this.#account, this.#id))?.state === 'started';
    } catch {
      return true;
    }
  }
}
