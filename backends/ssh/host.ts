/** One host: its connections, what it tells about itself, and the sandboxes on it. */
import type {
  Cancelable,
  Check,
  CreateOptions,
  Guarantees,
  Limits,
  Listed,
  ListOptions,
  OpenOptions,
  Sandbox,
  Spec,
} from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { refuseMore } from '../shared/refuse-more.ts';
import { checkFromFacts, toFailedCheck } from './check.ts';
import { directoryOf, entryFor, tasksOf, workspaceOf } from './entries.ts';
import { askFacts, type Facts } from './facts.ts';
import type { Member } from './members.ts';
import { Pool } from './pool.ts';
import { guaranteesOf } from './guarantees.ts';
import { type Entry, type Load, Registry, type RegistryRequest } from './registry.ts';
import { type Host, scopedOf, SshSandbox } from './sandbox.ts';
import { holdLimits } from './slice.ts';
import { findTarget, type Target } from './target.ts';
import { remembered } from '../../src/lib/remembered.ts';

/** How long an aborted create waits for its own cleaning up before it leaves that to the background. */
const abortTimeoutMs = 5000;

export class PoolHost {
  readonly member: Member;
  readonly #options: OpenOptions;
  readonly #pool: Pool;
  readonly #registry: Registry;
  readonly target = remembered((): Promise<Target> => findTarget(this.#options));
  readonly #facts = remembered((): Promise<Facts> => askFacts(this.#pool));

  constructor(member: Member, options: OpenOptions) {
    this.member = member;
    this.#options = { ...options, settings: member.settings };
    this.#pool = new Pool(() => this.target());
    this.#registry = new Registry(this.#pool);
  }

  async guarantees(options: Cancelable): Promise<Guarantees> {
    const facts = await this.#askFacts(options);
    const { missing, home } = facts;
    if (missing.length === 0)
      return { ...guaranteesOf(facts.scopes), directories: { home, tasks: tasksOf(facts, this.#options.instance) } };
    const { label } = await this.target();
    throw new CaissonError('failed_precondition', `${label} lacks ${missing.join(', ')}`, {
      remedy: `install ${missing.join(', ')} there`,
    });
  }

  async check(options: Cancelable): Promise<Check> {
    try {
      const facts = await untilAborted(askFacts(this.#pool), options.signal);
      return checkFromFacts((await this.target()).label, facts);
    } catch (error) {
      throwIfAborted(options);
      return toFailedCheck(error, typeof this.member.settings['host'] === 'string');
    }
  }

  /** How many sandboxes are registered, and whether there is anything of this one or of its task. */
  async load({ name, labels }: Pick<CreateOptions, 'name' | 'labels'>, options: Cancelable): Promise<Load> {
    const facts = await this.#askFacts(options);
    const entry = entryFor(facts, { name, labels }, null);
    return await untilAborted(this.#registry.load(entry), options.signal);
  }

  async create(spec: Spec, options: CreateOptions): Promise<Sandbox> {
    const facts = await this.#askFacts(options);
    refuseMore(guaranteesOf(facts.scopes), spec);
    const entry = entryFor(facts, options, spec.limits);
    const host = await this.#host();
    throwIfAborted(options);
    const { capacity } = this.member;
    const making = this.#make({ entry, labels: options.labels, keep: spec.persistent, capacity }, spec.limits);
    try {
      await untilAborted(making, options.signal);
    } catch (error) {
      if (options.signal?.aborted) await this.#cleanUp(making, entry);
      throw error;
    }
    return new SshSandbox(host, entry, 'running');
  }

  async attach(entry: Entry, options: Cancelable): Promise<Sandbox> {
    const state = await untilAborted(this.#registry.read(entry), options.signal);
    return new SshSandbox(await this.#host(), entry, state);
  }

  async list(options: ListOptions): Promise<readonly Listed[]> {
    const [facts, host] = await Promise.all([this.#askFacts(options), this.#host()]);
    const directory = directoryOf(facts, options.instance);
    const found = await untilAborted(this.#registry.list(directory, options.instance), options.signal);
    return found.map(({ name, labels, state, scope }) => {
      const entry = { directory, name, sandbox: labels.sandbox, workspace: workspaceOf(facts, labels), scope };
      return { ref: new SshSandbox(host, entry, state).ref, labels, state };
    });
  }

  close(): void {
    this.#pool.close();
  }

  /** Registered before it has limits, so that these are found and taken away again after any crash. */
  async #make(wanted: RegistryRequest, limits: Limits): Promise<void> {
    await this.#registry.create(wanted);
    const scoped = scopedOf(wanted.entry);
    if (scoped === null) return;
    try {
      await holdLimits(this.#pool, scoped, limits);
    } catch (error) {
      await this.#registry.destroy(wanted.entry);
      throw error;
    }
  }

  /** Removes what the host may have made for a create that was aborted. */
  async #cleanUp(making: Promise<void>, entry: Entry): Promise<void> {
    const cleaning = making.then(
      async () => new SshSandbox(await this.#host(), entry, 'running').destroy(),
      () => undefined,
    );
    const patience = new Promise((resolve) => setTimeout(resolve, abortTimeoutMs).unref());
    await Promise.race([cleaning.catch(() => undefined), patience]);
  }

  async #host(): Promise<Host> {
    const { label } = await this.target();
    return { pool: this.#pool, registry: this.#registry, label };
  }

  async #askFacts({ signal }: Cancelable): Promise<Facts> {
    return await untilAborted(this.#facts(), signal);
  }
}
