/** Commands on another machine, over ssh: the isolation is that machine. */
import type {
  Backend,
  Cancelable,
  Check,
  CreateOptions,
  Guarantees,
  Limits,
  Listed,
  ListOptions,
  OpenOptions,
  Ref,
  Sandbox,
  Spec,
  Trust,
} from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { isLabel } from '../shared/labels.ts';
import { refuseMore } from '../shared/refuse-more.ts';
import { toCheck, toFailedCheck } from './check.ts';
import { askFacts, type Facts } from './facts.ts';
import { Pool } from './pool.ts';
import { guaranteesOf } from './promises.ts';
import { type Entry, Registry, type Wanted } from './registry.ts';
import { type Host, scopedOf, SshSandbox } from './sandbox.ts';
import { parseScope } from './scope.ts';
import { holdLimits } from './slice.ts';
import { findTarget, type Target } from './target.ts';
import { trustIn } from './trust.ts';

/** How long an aborted create waits for its own cleaning up before it leaves that to the background. */
const abortPatienceMs = 5000;

/** Does no I/O. */
export function open(options: OpenOptions): Backend {
  return new SshBackend(options);
}

class SshBackend implements Backend {
  readonly name = 'ssh';
  readonly #options: OpenOptions;
  readonly #pool: Pool;
  readonly #registry: Registry;
  readonly trust: Trust;
  #target: Promise<Target> | null = null;
  #facts: Promise<Facts> | null = null;

  constructor(options: OpenOptions) {
    this.#options = options;
    this.#pool = new Pool(() => this.#findTarget());
    this.#registry = new Registry(this.#pool);
    this.trust = trustIn(async () => [await this.#findTarget()]);
  }

  async guarantees(options: Cancelable = {}): Promise<Guarantees> {
    throwIfAborted(options);
    const facts = await this.#askFacts(options);
    const { missing, home } = facts;
    if (missing.length === 0)
      return {
        ...guaranteesOf(facts.scopes),
        directories: { home, tasks: tasksOf(facts, this.#options.instance) },
      };
    throw new CaissonError('failed_precondition', `the host lacks ${missing.join(', ')}`, {
      remedy: `install ${missing.join(', ')} there`,
    });
  }

  async check(options: Cancelable = {}): Promise<Check> {
    throwIfAborted(options);
    try {
      const facts = await untilAborted(askFacts(this.#pool), options.signal);
      return toCheck((await this.#findTarget()).label, facts);
    } catch (error) {
      throwIfAborted(options);
      return toFailedCheck(error, typeof this.#options.settings?.['host'] === 'string');
    }
  }

  async create(spec: Spec, options: CreateOptions): Promise<Sandbox> {
    throwIfAborted(options);
    const facts = await this.#askFacts(options);
    refuseMore(guaranteesOf(facts.scopes), spec);
    const entry = entryFor(facts, { ...options, limits: spec.limits });
    const host = await this.#host();
    throwIfAborted(options);
    const making = this.#make({ entry, labels: options.labels, keep: spec.persistent }, spec.limits);
    try {
      await untilAborted(making, options.signal);
    } catch (error) {
      if (options.signal?.aborted) await this.#cleanUp(making, entry);
      throw error;
    }
    return new SshSandbox(host, entry, 'running');
  }

  async attach(ref: Ref, options: Cancelable = {}): Promise<Sandbox> {
    throwIfAborted(options);
    const host = await this.#host();
    const entry = fromRef(ref, host.label);
    return new SshSandbox(host, entry, await untilAborted(this.#registry.read(entry), options.signal));
  }

  async list(options: ListOptions): Promise<readonly Listed[]> {
    throwIfAborted(options);
    const [facts, host] = await Promise.all([this.#askFacts(options), this.#host()]);
    const directory = directoryOf(facts, options.instance);
    const found = await untilAborted(this.#registry.list(directory, options.instance), options.signal);
    return found.map(({ name, labels, state, scope }) => {
      const entry = { directory, name, sandbox: labels.sandbox, workspace: workspaceOf(facts, labels), scope };
      return { ref: new SshSandbox(host, entry, state).ref, labels, state };
    });
  }

  async close(): Promise<void> {
    this.#pool.close();
  }

  /** Registered before it has limits, so that these are found and taken away again after any crash. */
  async #make(wanted: Wanted, limits: Limits): Promise<void> {
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

  /** Of an aborted create: what the host may have made is removed again. */
  async #cleanUp(making: Promise<void>, entry: Entry): Promise<void> {
    const cleaning = making.then(
      async () => new SshSandbox(await this.#host(), entry, 'running').destroy(),
      () => undefined,
    );
    const patience = new Promise((resolve) => setTimeout(resolve, abortPatienceMs).unref());
    await Promise.race([cleaning.catch(() => undefined), patience]);
  }

  async #host(): Promise<Host> {
    const { label } = await this.#findTarget();
    return { pool: this.#pool, registry: this.#registry, label };
  }

  #findTarget(): Promise<Target> {
    this.#target ??= findTarget(this.#options).catch((error: unknown) => {
      this.#target = null;
      throw error;
    });
    return this.#target;
  }

  async #askFacts({ signal }: Cancelable): Promise<Facts> {
    this.#facts ??= askFacts(this.#pool).catch((error: unknown) => {
      this.#facts = null;
      throw error;
    });
    return await untilAborted(this.#facts, signal);
  }
}

/** Any text as one name of a file: no slash, no dot in front. */
function fileName(text: string): string {
  return encodeURIComponent(text).replace(/^\./, '%2E');
}

function directoryOf({ root }: Facts, instance: string): string {
  return `${root}/${fileName(instance)}/sandboxes`;
}

function tasksOf({ root }: Facts, instance: string): string {
  return `${root}/${fileName(instance)}/tasks`;
}

function workspaceOf(facts: Facts, { instance, task }: { readonly instance: string; readonly task: string }): string {
  return `${tasksOf(facts, instance)}/${fileName(task)}`;
}

function entryFor(
  facts: Facts,
  { name, labels, limits }: Pick<CreateOptions, 'name' | 'labels'> & { readonly limits: Limits },
): Entry {
  if (!isLabel(labels.sandbox)) throw new CaissonError('invalid_argument', 'a sandbox id has only A-Z a-z 0-9 _ . : -');
  return {
    directory: directoryOf(facts, labels.instance),
    name: fileName(name),
    sandbox: labels.sandbox,
    workspace: workspaceOf(facts, labels),
    scope: Object.values(limits).some((limit) => limit !== null) ? (facts.scopes?.scope ?? null) : null,
  };
}

/** A sandbox on another host is not gone: it cannot be reached with this configuration. */
function fromRef(ref: Ref, label: string): Entry {
  const { v, host, directory, name, sandbox, workspace, scope = null } = ref;
  if (
    v !== 1 ||
    !isText(directory) ||
    !isText(name) ||
    !isLabel(sandbox) ||
    !isText(workspace) ||
    (scope !== null && parseScope(scope) === null)
  )
    throw new CaissonError('invalid_argument', 'this ref is not one of the ssh backend, or of a newer version of it');
  if (host === label) return { directory, name, sandbox, workspace, scope: parseScope(scope) };
  throw new CaissonError('unavailable', `sandbox ${sandbox} is on ${String(host)}, and ${label} is configured`, {
    details: { sandbox, host: String(host) },
    remedy: 'set terminal.ssh_host, ssh_user and ssh_port back until that sandbox is removed',
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
