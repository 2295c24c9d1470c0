import { hostname } from 'node:os';
import type { Cancelable, ExecOptions, Process, Ref, ResourceState, Sandbox } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { markName } from './environment.ts';
import { endMarked } from './marked.ts';
import { throwIfAborted } from '../shared/abort.ts';
import type { Pipes } from '../shared/pipes.ts';
import { startProcess } from '../shared/host-process.ts';
import type { Registration } from './registration.ts';
import type { Registry } from '../shared/registry.ts';

/** What all sandboxes of one backend object share. */
export interface LocalShared {
  readonly registry: Registry<Registration>;
  readonly pipes: Pipes;
  readonly baseEnv: Readonly<Record<string, string>>;
}

/** A registration on this host, and every process that carries its mark. */
export class LocalSandbox implements Sandbox {
  readonly ref: Ref;
  readonly place: Sandbox['place'];
  readonly power: NonNullable<Sandbox['power']> = {
    stop: async (options) => {
      throwIfAborted(options);
      await this.#stop();
    },
    start: async (options) => {
      throwIfAborted(options);
      await this.#write('running');
    },
  };
  readonly #shared: LocalShared;
  readonly #file: string;
  readonly #id: string;
  #state: Registration['state'];

  constructor(shared: LocalShared, file: string, registration: Registration) {
    this.ref = { v: 1, file, sandbox: registration.labels.sandbox };
    this.place = { host: hostname(), resource: file, imageDigest: null };
    this.#shared = shared;
    this.#file = file;
    this.#id = registration.labels.sandbox;
    this.#state = registration.state;
  }

  get state(): ResourceState {
    return this.#state;
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> {
    throwIfAborted(options);
    await this.#runs();
    const process = await startProcess(this.#shared.pipes, {
      command,
      cwd: options.cwd,
      env: { ...this.#shared.baseEnv, ...options.env, [markName]: this.#id },
      stdin: options.stdin,
      signal: options.signal,
      onSent: options.onSent,
    });
    // A stop that came in between did not see this process yet.
    if ((await this.#registration())?.state !== 'running') await process.kill('SIGKILL');
    return process;
  }

  /** Stopped before it is forgotten: whatever fails on the way, `list` still finds what is left. */
  async destroy(options: Cancelable = {}): Promise<void> {
    throwIfAborted(options);
    if ((await this.#registration()) === null) return;
    await this.#stop();
    await this.#shared.registry.remove(this.#file);
  }

  async #stop(): Promise<void> {
    await this.#write('stopped');
    await endMarked(this.#id);
  }

  async #write(state: Registration['state']): Promise<void> {
    const registration = await this.#present();
    if (registration.state !== state) await this.#shared.registry.replace(this.#file, { ...registration, state });
    this.#state = state;
  }

  async #runs(): Promise<void> {
    const { state } = await this.#present();
    if (state === 'running') return;
    throw new CaissonError('failed_precondition', `sandbox ${this.#id} is stopped`, { remedy: 'start it first' });
  }

  async #present(): Promise<Registration> {
    return await this.#shared.registry.presentOf(this.#file, this.#id);
  }

  async #registration(): Promise<Registration | null> {
    return await this.#shared.registry.readOf(this.#file, this.#id);
  }
}
