/** The backend under test, what it promises, and everything that was made on it. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend, CreateOptions, Guarantees, Labels, Listed, Sandbox, Spec } from '../../src/backend.ts';

export interface Subject {
  readonly name: string;
  /** A new Backend object on the same place each time, as a restart of the service makes one. */
  readonly open: (instance: string) => Backend | Promise<Backend>;
  readonly spec: Spec;
  /** Why there is nothing to test on this machine; absent or `null` when there is. */
  readonly unavailable?: string | null;
  /** Deviations by the id of the case. */
  readonly deviations?: Readonly<Record<string, Deviation>>;
}

/** A case that this place cannot pass, and a test of what it does instead, which fails when that changes. */
export interface Deviation {
  readonly reason: string;
  readonly instead: (place: Place) => Promise<void>;
}

export type Argv = readonly [string, ...string[]];

/** A first process that does nothing but stay, and reap orphans. */
const staying: Argv = ['sh', '-c', 'trap : HUP INT QUIT PIPE TERM; while :; do sleep 2147483; done'];

export interface Facets {
  readonly init: boolean;
  readonly power: boolean;
  readonly stats: boolean;
  readonly memory: boolean;
  readonly pipes: boolean;
  readonly pty: boolean;
  readonly users: boolean;
}

/** In the environment of the service while the suite runs; no sandbox may see it. */
export const leakName = 'CONFORMANCE_SECRET';
export const leakValue = `leak-${randomBytes(12).toString('hex')}`;

export interface Making {
  readonly backend?: Backend;
  readonly spec?: Partial<Spec>;
  readonly options?: Partial<CreateOptions>;
}

export class Place {
  readonly subject: Subject;
  readonly instance: string;
  readonly backend: Backend;
  readonly guarantees: Guarantees;
  readonly facets: Facets;
  readonly #init: Argv;
  readonly #opened: Backend[] = [];
  readonly #made: Sandbox[] = [];
  readonly #directories: string[] = [];
  #shared: Promise<Sandbox> | null = null;

  private constructor(
    subject: Subject,
    opened: { instance: string; backend: Backend; guarantees: Guarantees; facets: Facets; init: Argv },
  ) {
    this.subject = subject;
    this.instance = opened.instance;
    this.backend = opened.backend;
    this.guarantees = opened.guarantees;
    this.facets = opened.facets;
    this.#init = opened.init;
    this.#opened.push(opened.backend);
  }

  /** Reads what the place promises and, from one sandbox, which facets it has. */
  static async open(subject: Subject, init: Argv = staying): Promise<Place> {
    process.env[leakName] = leakValue;
    const instance = `conf${randomBytes(6).toString('hex')}`;
    const backend = await subject.open(instance);
    const guarantees = await backend.guarantees();
    const facets = { init: false, power: false, stats: false, memory: false, pipes: false, pty: false, users: false };
    const place = new Place(subject, { instance, backend, guarantees, facets, init });
    const sandbox = await place.create();
    facets.init = sandbox.init !== undefined;
    facets.power = sandbox.power !== undefined;
    facets.stats = sandbox.stats !== undefined;
    facets.memory = sandbox.memory !== undefined;
    facets.pipes = sandbox.pipes !== undefined;
    facets.pty = sandbox.pty !== undefined;
    facets.users = sandbox.users !== undefined;
    await place.destroy(sandbox);
    return place;
  }

  /** Opens this place through another Backend object, as after a restart or from another replica. */
  async another(): Promise<Backend> {
    const backend = await this.subject.open(this.instance);
    this.#opened.push(backend);
    return backend;
  }

  /** Names and labels of a new sandbox. */
  options(patch: Partial<CreateOptions> = {}): CreateOptions {
    const id = randomBytes(8).toString('hex');
    return {
      name: `caisson-${this.instance}-${id}`,
      labels: this.labels(id),
      directory: null,
      credentials: null,
      init: this.#init,
      ...patch,
    };
  }

  labels(id: string, patch: Partial<Labels> = {}): Labels {
    const created = new Date().toISOString();
    return {
      instance: this.instance,
      sandbox: `sbx_${id}`,
      task: `task-${id}`,
      fingerprint: 'f1',
      created,
      schema: '1',
      ...patch,
    };
  }

  async create(making: Making = {}): Promise<Sandbox> {
    const spec = { ...this.subject.spec, ...making.spec };
    const keeps = spec.persistent && this.guarantees.persistence === 'directory';
    const options = this.options(making.options);
    const directory = options.directory ?? (keeps ? await this.directory() : null);
    const sandbox = await (making.backend ?? this.backend).create(spec, { ...options, directory });
    this.#made.push(sandbox);
    return sandbox;
  }

  /** A new directory on this host, removed at the end. */
  async directory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'caisson-conformance-'));
    this.#directories.push(directory);
    return directory;
  }

  /** One sandbox for all cases that leave it as it was. */
  sandbox(): Promise<Sandbox> {
    this.#shared ??= this.create();
    return this.#shared;
  }

  /** Stops the sandbox like core: when its ref changes it is attached by the new one, else it stays the same object. */
  stop(sandbox: Sandbox): Promise<Sandbox> {
    return this.#switch(sandbox, 'stop');
  }

  start(sandbox: Sandbox): Promise<Sandbox> {
    return this.#switch(sandbox, 'start');
  }

  async #switch(sandbox: Sandbox, verb: 'stop' | 'start'): Promise<Sandbox> {
    if (sandbox.power === undefined) throw new Error('the power facet is missing on this object');
    let { ref } = sandbox;
    await sandbox.power[verb]({ onRef: async (next) => void (ref = next) });
    if (ref === sandbox.ref) return sandbox;
    const attached = await this.backend.attach(ref);
    this.#made.push(attached);
    return attached;
  }

  async destroy(sandbox: Sandbox): Promise<void> {
    sandbox.init?.release();
    await sandbox.destroy();
  }

  async listed(backend: Backend = this.backend): Promise<readonly Listed[]> {
    return await backend.list({ instance: this.instance });
  }

  /** Removes every sandbox that a case made. */
  async clear(): Promise<void> {
    this.#shared = null;
    await Promise.all(this.#made.splice(0).map((sandbox) => this.destroy(sandbox)));
  }

  async close(): Promise<void> {
    await this.clear();
    for (const { ref } of await this.listed()) await (await this.backend.attach(ref)).destroy();
    await Promise.all(this.#opened.map((backend) => backend.close()));
    await Promise.all(this.#directories.map((directory) => rm(directory, { recursive: true, force: true })));
    delete process.env[leakName];
  }
}
