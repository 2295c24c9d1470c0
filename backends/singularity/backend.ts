/** Containers of Apptainer (once Singularity) on this host, run by an account without rights. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
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
} from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { Pipes } from '../shared/pipes.ts';
import { refuseMore } from '../shared/refuse-more.ts';
import { Registry } from '../shared/registry.ts';
import type { Account } from './account.ts';
import { ptraceFindings } from '../shared/ptrace.ts';
import { problemOf, checkFromFacts, toFailedCheck } from './check.ts';
import { askFacts, type Facts } from './facts.ts';
import { Images } from './images.ts';
import { findInstance } from './instance.ts';
import { checkReach, runRoot } from './places.ts';
import { hostOf, onOthers } from './own-account.ts';
import { identityOf } from './program.ts';
import { guaranteesOf } from './guarantees.ts';
import { parseRegistration, type Registration } from './registration.ts';
import { type SingularityShared, SingularitySandbox } from './sandbox.ts';
import { remembered } from '../../src/lib/remembered.ts';

/** Only opens: looks at nothing and starts nothing. */
export function open(options: OpenOptions): Backend {
  return new SingularityBackend(options);
}

class SingularityBackend implements Backend {
  readonly name = 'singularity';
  readonly #options: OpenOptions;
  readonly #pipes = new Map<number, Pipes>();
  /** Throws `failed_precondition` when something on this host keeps every sandbox from starting. */
  readonly #sound = remembered(() => this.#look());

  constructor(options: OpenOptions) {
    this.#options = options;
  }

  async guarantees(options: Cancelable = {}): Promise<Guarantees> {
    throwIfAborted(options);
    return guaranteesOf(await untilAborted(this.#sound(), options.signal));
  }

  async check(options: Cancelable = {}): Promise<Check> {
    throwIfAborted(options);
    try {
      const facts = await untilAborted(askFacts(this.#options, this.#pipesFor), options.signal);
      const found = await this.#placeOf(facts).registry.all(this.#options.instance);
      const check = checkFromFacts(facts, await onOthers(facts.host, found));
      return { ...check, findings: [...check.findings, ...ptraceFindings()] };
    } catch (error) {
      throwIfAborted(options);
      return toFailedCheck(error);
    }
  }

  async create(spec: Spec, options: CreateOptions): Promise<Sandbox> {
    throwIfAborted(options);
    const facts = await this.#sound();
    refuseMore(guaranteesOf(facts), spec);
    const { image, place, registration } = await this.#wanted(facts, spec, options);
    const file = place.registry.file(options.labels.instance, options.name);
    const making = this.#make(place, file, { ...registration, plan: { ...registration.plan, ...image } });
    try {
      return await untilAborted(making, options.signal);
    } catch (error) {
      if (options.signal?.aborted) await making.then((sandbox) => sandbox.destroy()).catch(() => undefined);
      throw error;
    }
  }

  async attach(ref: Ref, options: Cancelable = {}): Promise<Sandbox> {
    throwIfAborted(options);
    const { file, sandbox } = fromRef(ref);
    const place = this.#placeOf(await this.#sound());
    const registration = await place.registry.read(file);
    if (registration?.labels.sandbox === sandbox)
      return new SingularitySandbox(place, file, { ...registration, state: await stateOf(registration) });
    throw new CaissonError('not_found', `sandbox ${sandbox} is gone`, { details: { sandbox } });
  }

  async list(options: ListOptions): Promise<readonly Listed[]> {
    throwIfAborted(options);
    const place = this.#placeOf(await this.#sound());
    const found = await place.registry.all(options.instance);
    return await Promise.all(
      found.map(async ({ file, registration }) => ({
        ref: new SingularitySandbox(place, file, registration).ref,
        labels: registration.labels,
        state: await stateOf(registration),
      })),
    );
  }

  async close(): Promise<void> {
    for (const pipes of this.#pipes.values()) pipes.close();
  }

  /** A command opens its own streams again by their path only when they are its user's. */
  readonly #pipesFor = (account: Account): Pipes => {
    const pipes = this.#pipes.get(account.uid) ?? new Pipes(identityOf(account));
    this.#pipes.set(account.uid, pipes);
    return pipes;
  };

  #placeOf({ host, scratch, hierarchy }: Facts): SingularityShared {
    return {
      hostOf: (registration) => hostOf(host, registration, this.#pipesFor),
      registry: new Registry(scratch, { name: 'singularity', parse: parseRegistration }),
      hierarchy: typeof hierarchy === 'string' ? null : hierarchy,
    };
  }

  /** The image is found before anything is registered: it may take minutes, and belongs to no sandbox in particular. */
  async #wanted(facts: Facts, spec: Spec, options: CreateOptions) {
    const images = new Images(facts.host, facts.cache, this.#options.env);
    const image = await images.find(spec.image, options);
    throwIfAborted(options);
    const registration: Registration = {
      v: 1,
      name: options.name,
      labels: options.labels,
      state: 'running',
      directory: join(await runRoot(facts.scratch), directoryName(options)),
      account: identityOf(facts.host.account) ?? null,
      plan: {
        ...image,
        limits: spec.limits,
        network: spec.network,
        door: doorOf(spec, options),
        mounts: spec.mounts,
        credentials: options.credentials,
        readOnlyRoot: spec.hardening.readOnlyRoot,
        seccomp: spec.hardening.seccomp === 'builtin',
        refuseSetid: options.refuseSetid === true,
        keep: spec.persistent ? options.directory : null,
      },
    };
    return { image, place: this.#placeOf(facts), registration };
  }

  async #make(place: SingularityShared, file: string, wanted: Registration): Promise<SingularitySandbox> {
    const isNew = await place.registry.insert(file, wanted);
    const sandbox = new SingularitySandbox(place, file, isNew ? wanted : await takeOver(place, file, wanted));
    try {
      await sandbox.start();
      return sandbox;
    } catch (error) {
      if (isNew) await sandbox.destroy();
      throw error;
    }
  }

  async #look(): Promise<Facts> {
    const facts = await askFacts(this.#options, this.#pipesFor);
    const problem = problemOf(facts);
    if (problem !== null) throw new CaissonError('failed_precondition', problem.summary, { remedy: problem.remedy });
    await checkReach(facts.host, await runRoot(facts.scratch));
    return facts;
  }
}

function doorOf({ network }: Spec, { door }: CreateOptions): string | null {
  if (network !== 'filtered') return null;
  if (door !== undefined) return door;
  throw new CaissonError('not_supported', 'a filtered network needs a door, and none was given');
}

/** Gives the same name on every try; a short one, since the path of a socket below it may have only 107 bytes. */
function directoryName({ name, labels: { instance } }: CreateOptions): string {
  return createHash('sha256').update(`${instance}\0${name}`).digest('hex').slice(0, 24);
}

/** The name is taken: by what a lost answer left, by an older spec of the same sandbox, or by another one. */
async function takeOver(place: SingularityShared, file: string, wanted: Registration): Promise<Registration> {
  const found = await place.registry.read(file);
  if (found !== null && found.labels.sandbox !== wanted.labels.sandbox) {
    throw new CaissonError('conflict', `the name ${wanted.name} belongs to sandbox ${found.labels.sandbox}`, {
      remedy: 'choose another name',
    });
  }
  if (found?.labels.fingerprint === wanted.labels.fingerprint) return found;
  if (found !== null) await new SingularitySandbox(place, file, found).destroy();
  if (await place.registry.insert(file, wanted)) return wanted;
  return await takeOver(place, file, wanted);
}

/** What runs, whatever was asked for: the processes of a sandbox may have been ended from outside. */
async function stateOf({ state, directory }: Registration): Promise<Registration['state']> {
  return state === 'running' && (await findInstance(directory)) !== null ? 'running' : 'stopped';
}

/** A sandbox on another node of a cluster is not gone: it cannot be reached from here. */
function fromRef({ v, host, file, sandbox }: Ref): { readonly file: string; readonly sandbox: string } {
  if (v !== 1 || typeof file !== 'string' || typeof sandbox !== 'string')
    throw new CaissonError('invalid_argument', 'this ref is not one of the singularity backend, or of a newer version');
  if (host === hostname()) return { file, sandbox };
  throw new CaissonError('unavailable', `sandbox ${sandbox} is on ${String(host)}, and this is ${hostname()}`, {
    details: { sandbox, host: String(host) },
    remedy: 'run this command there',
  });
}
