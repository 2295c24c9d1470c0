/** Commands on other machines, over ssh: the isolation is the machine. One host, or a pool of them. */
import type {
  Backend,
  Cancelable,
  Check,
  CreateOptions,
  Guarantees,
  Listed,
  ListOptions,
  OpenOptions,
  Ref,
  Sandbox,
  Spec,
  Trust,
} from '../../src/backend.ts';
import { CaissonError, isCode, toCaissonError } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { joinChecks, toFailedCheck } from './check.ts';
import { type Candidate, hostsFullError, order } from './choose.ts';
import { fromRef } from './entries.ts';
import { readMembers } from './members.ts';
import { joinGuarantees } from './guarantees.ts';
import { reached } from './reached.ts';
import { PoolHost } from './host.ts';
import { trustIn } from './trust.ts';
import { remembered } from '../../src/lib/remembered.ts';

/** Does no I/O. */
export function open(options: OpenOptions): Backend {
  return new SshBackend(options);
}

class SshBackend implements Backend {
  readonly name = 'ssh';
  readonly trust: Trust;
  readonly #options: OpenOptions;
  #hosts: readonly PoolHost[] | null = null;
  readonly #promised = remembered(() => this.#askGuarantees());

  constructor(options: OpenOptions) {
    this.#options = options;
    this.trust = trustIn(() => Promise.all(this.#all().map((host) => host.target())));
  }

  async guarantees(options: Cancelable = {}): Promise<Guarantees> {
    throwIfAborted(options);
    return await untilAborted(this.#promised(), options.signal);
  }

  async check(options: Cancelable = {}): Promise<Check> {
    throwIfAborted(options);
    try {
      const each = this.#all().map(async (host) => ({
        member: host.member,
        check: await host.check(options),
      }));
      return joinChecks(await Promise.all(each));
    } catch (error) {
      throwIfAborted(options);
      return toFailedCheck(error, true);
    }
  }

  async create(spec: Spec, options: CreateOptions): Promise<Sandbox> {
    throwIfAborted(options);
    const [first, ...others] = this.#all();
    if (first !== undefined && others.length === 0) return await first.create(spec, options);
    const hosts = order(await this.#candidates(spec, options));
    for (const host of hosts) {
      try {
        return await host.create(spec, options);
      } catch (error) {
        // Somebody else took the last room, and nothing was made.
        if (!isCode(error, 'resource_exhausted') || host === hosts.at(-1)) throw error;
      }
    }
    throw hostsFullError();
  }

  async attach(ref: Ref, options: Cancelable = {}): Promise<Sandbox> {
    throwIfAborted(options);
    const { host: label, entry } = fromRef(ref);
    for (const host of this.#all()) if ((await host.target()).label === label) return await host.attach(entry, options);
    throw new CaissonError('unavailable', `sandbox ${entry.sandbox} is on ${label}, which is not configured any more`, {
      details: { sandbox: entry.sandbox, host: label },
      remedy: 'set terminal.ssh_host or ssh_hosts back until that sandbox is removed; drain: true keeps new ones away',
    });
  }

  async list(options: ListOptions): Promise<readonly Listed[]> {
    throwIfAborted(options);
    return (await Promise.all(this.#all().map((host) => host.list(options)))).flat();
  }

  async close(): Promise<void> {
    for (const host of this.#hosts ?? []) host.close();
  }

  /** Joins the guarantees of the hosts that can be reached: those that come back later are looked at before anything is made on them. */
  async #askGuarantees(): Promise<Guarantees> {
    const asked = await Promise.allSettled(this.#all().map((host) => host.guarantees({})));
    return joinGuarantees(reached(asked));
  }

  /** A persistent task may have files on a host that is silent: it must not begin anew elsewhere. */
  async #candidates(spec: Spec, options: CreateOptions): Promise<readonly Candidate<PoolHost>[]> {
    const promised = await this.guarantees(options);
    const asked = await Promise.allSettled(
      this.#all().map(async (host) => {
        joinGuarantees([promised, await host.guarantees(options)]);
        const { capacity, drain } = host.member;
        return { host, capacity, drain, ...(await host.load(options, options)) };
      }),
    );
    const silent = asked.find((each) => each.status === 'rejected');
    const isHome = asked.some((each) => each.status === 'fulfilled' && each.value.holds);
    if (spec.persistent && silent !== undefined && !isHome) throw mayBeThereError(options.labels.task, silent.reason);
    return reached(asked);
  }

  #all(): readonly PoolHost[] {
    this.#hosts ??= readMembers(this.#options).map((member) => new PoolHost(member, this.#options));
    return this.#hosts;
  }
}

function mayBeThereError(task: string, cause: unknown): CaissonError {
  if (!isCode(cause, 'unavailable')) return toCaissonError(cause);
  return new CaissonError('unavailable', `${cause.message}; the task ${task} may have files on that host`, {
    cause,
    details: cause.details,
    remedy: 'bring that host back, or take it out of terminal.ssh_hosts: then the task begins anew on another one',
  });
}
