import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { Cancelable, ExecOptions, Process, Ref, ResourceState, Sandbox } from '../../src/backend.ts';
import { CaissonError, isCode } from '../../src/errors.ts';
import { removeEntrance, writeEntrance } from '../../src/lib/entrance.ts';
import { throwIfAborted } from '../shared/abort.ts';
import type { Registry } from '../shared/registry.ts';
import { Cgroup } from './cgroup.ts';
import type { Hierarchy } from './hierarchy.ts';
import { endAll, readNetwork, readStatus } from './host-processes.ts';
import { configOf, findInstance, type Running, startInstance } from './instance.ts';
import { withLock } from './lock.ts';
import { prepareOverlay, releaseOverlay, removeTree } from './overlay.ts';
import { makeBetween } from './places.ts';
import type { Host } from './program.ts';
import type { Registration } from './registration.ts';
import { startExec } from './start.ts';

/** What all sandboxes of one backend object share. */
export interface SingularityShared {
  /** The host as the account of that sandbox uses it. */
  readonly hostOf: (registration: Registration) => Promise<Host>;
  readonly registry: Registry<Registration>;
  /** `null`: there are no limits here. */
  readonly hierarchy: Hierarchy | null;
}

/** A registration on this host, an instance of Apptainer while it runs, and the place where it writes. */
export class SingularitySandbox implements Sandbox {
  readonly ref: Ref;
  readonly place: Sandbox['place'];
  readonly power: NonNullable<Sandbox['power']> = {
    stop: async (options) => {
      throwIfAborted(options);
      await this.#locked(() => this.#stop());
    },
    start: async (options) => {
      throwIfAborted(options);
      await this.start();
    },
  };
  readonly controls: NonNullable<Sandbox['controls']> = {
    status: async () => {
      const running = await findInstance(this.#directory);
      return running === null ? null : await readStatus(running.pid);
    },
    network: async () => {
      const running = await findInstance(this.#directory);
      return running === null ? null : await readNetwork(running.pid);
    },
  };
  readonly stats?: NonNullable<Sandbox['stats']>;
  readonly memory?: NonNullable<Sandbox['memory']>;
  readonly #shared: SingularityShared;
  readonly #file: string;
  readonly #id: string;
  readonly #directory: string;
  readonly #cgroup: Cgroup | null;
  #state: Registration['state'];

  constructor(shared: SingularityShared, file: string, { labels, directory, plan, state }: Registration) {
    this.ref = { v: 1, host: hostname(), file, sandbox: labels.sandbox };
    this.place = { host: hostname(), resource: directory, imageDigest: plan.digest };
    this.#shared = shared;
    this.#file = file;
    this.#id = labels.sandbox;
    this.#directory = directory;
    this.#state = state;
    const cgroup = shared.hierarchy === null ? null : new Cgroup(shared.hierarchy, basename(directory));
    this.#cgroup = cgroup;
    if (cgroup === null) return;
    const before = cgroup.memoryKills();
    this.memory = { kills: () => Math.max(0, cgroup.memoryKills() - before) };
    this.stats = {
      read: async (options = {}) => {
        throwIfAborted(options);
        await this.#runs();
        return await cgroup.stats();
      },
    };
  }

  get state(): ResourceState {
    return this.#state;
  }

  /** Starts it unless it runs. */
  async start(): Promise<void> {
    await this.#locked(async () => {
      const registration = await this.#write('running');
      const running = await findInstance(this.#directory);
      if (running !== null) return this.#enterable(registration, running);
      const host = await this.#shared.hostOf(registration);
      // What an earlier life of it left, as after a crash.
      await endAll(configOf(this.#directory));
      await removeTree(host, configOf(this.#directory));
      await makeBetween(this.#directory, host.account);
      await prepareOverlay(host, registration);
      await this.#cgroup?.make(registration.plan.limits);
      this.#enterable(registration, await startInstance(host, registration, this.#cgroup));
    });
  }

  #enterable({ plan: { door } }: Registration, { pid }: Running): void {
    if (door !== null) writeEntrance(door, pid);
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> {
    throwIfAborted(options);
    const { registration, running } = await this.#runs();
    try {
      const host = await this.#shared.hostOf(registration);
      return await startExec(host, { command, options, registration, running, cgroup: this.#cgroup });
    } catch (error) {
      // It may have been stopped or removed meanwhile, which says more than that no shell came up.
      if (isCode(error, 'unavailable')) await this.#runs();
      throw error;
    }
  }

  /** Stopped before it is forgotten: whatever fails on the way, `list` still finds what is left. */
  async destroy(options: Cancelable = {}): Promise<void> {
    throwIfAborted(options);
    if ((await this.#registration()) === null) return;
    await this.#locked(async () => {
      const registration = await this.#registration();
      if (registration === null) return;
      await this.#stop();
      await removeTree(await this.#shared.hostOf(registration), this.#directory);
      await this.#shared.registry.remove(this.#file);
    });
  }

  /** What it wrote and is to keep stays where it is. */
  async #stop(): Promise<void> {
    const registration = await this.#write('stopped');
    if (registration.plan.door !== null) removeEntrance(registration.plan.door);
    await endAll(configOf(this.#directory));
    await releaseOverlay(await this.#shared.hostOf(registration), registration);
    await this.#cgroup?.remove();
  }

  /** The lock lies beside the registration: it outlives the directory. */
  async #locked<T>(work: () => Promise<T>): Promise<T> {
    return await withLock(`${this.#file}.lock`, work);
  }

  async #write(state: Registration['state']): Promise<Registration> {
    const registration = await this.#present();
    if (registration.state !== state) await this.#shared.registry.replace(this.#file, { ...registration, state });
    this.#state = state;
    return registration;
  }

  /** A sandbox whose processes were ended from outside is not running, whatever was asked for. */
  async #runs(): Promise<{ readonly registration: Registration; readonly running: Running }> {
    const registration = await this.#present();
    const running = registration.state === 'running' ? await findInstance(this.#directory) : null;
    if (running !== null) return { registration, running };
    throw new CaissonError('failed_precondition', `sandbox ${this.#id} does not run`, { remedy: 'start it first' });
  }

  async #present(): Promise<Registration> {
    return await this.#shared.registry.presentOf(this.#file, this.#id);
  }

  async #registration(): Promise<Registration | null> {
    return await this.#shared.registry.readOf(this.#file, this.#id);
  }
}
