/** Sandboxes as containers of a Docker or Podman engine. README.md says what they are made of. */
import type {
  Backend,
  Cancelable,
  Check,
  CreateOptions,
  DoorImage,
  Enforcement,
  Guarantees,
  Images,
  Listed,
  ListOptions,
  OpenOptions,
  Ref,
  Sandbox,
  Spec,
  Leftovers,
} from '../../src/backend.ts';
import { CaissonError, isCode } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { delay } from './engine/delay.ts';
import { inotifyFindings } from '../shared/inotify.ts';
import { ptraceFindings } from '../shared/ptrace.ts';
import { checkFromFacts, toFailedCheck } from './check.ts';
import { inspectContainer, removeContainer, toState } from './container/container.ts';
import { make, type Created } from './container/create.ts';
import { findDiskLimit } from './container/disk.ts';
import { Engine } from './engine/engine.ts';
import { type Facts, isPodman } from './engine/facts.ts';
import { forgetTrial, triedRefusals } from './container/tried.ts';
import { toGuarantees } from './guarantees.ts';
import type { Refusing } from './container/refusals.ts';
import { type Restore, restoreBeside, restoreEntering } from './container/restore.ts';
import { imageFindings } from './container/image.ts';
import { createImages } from './engine/images.ts';
import { checkSpec } from './container/limits.ts';
import { list, object, text } from './engine/json.ts';
import { fromEngineLabels, instanceLabel, roleLabel } from './container/labels.ts';
import { onThisKernel } from './exec/pipes.ts';
import { DockerSandbox, fromRef, toRef } from './sandbox.ts';
import { remembered } from '../../src/lib/remembered.ts';

/** How long an aborted create waits for its own cleaning up before it leaves that to the background. */
const abortTimeoutMs = 5000;

/** Does no I/O. */
export function open(options: OpenOptions): Backend {
  return new DockerBackend(options);
}

class DockerBackend implements Backend {
  readonly name = 'docker';
  readonly images: Images;
  readonly #engine: Engine;
  readonly #image: unknown;
  readonly #doorImage: OpenOptions['doorImage'];
  readonly #refusals: OpenOptions['refusals'];
  readonly #restore: Restore;
  readonly #kept: OpenOptions['kept'];
  readonly #refusalsTried = remembered(
    async (): Promise<Enforcement> =>
      await triedRefusals(this.#restore, { kept: this.#kept, engine: (await this.#engine.recentFacts()).id }),
  );
  readonly #disk = new Map<string, Promise<Enforcement>>();

  constructor(options: OpenOptions) {
    this.#engine = new Engine(options);
    this.#image = options.settings?.['image'];
    this.#doorImage = options.doorImage;
    this.#refusals = options.refusals;
    this.#kept = options.kept;
    this.#restore =
      process.geteuid?.() === 0 || this.#doorImage === undefined
        ? restoreEntering
        : restoreBeside(this.#engine, this.#doorImage);
    this.images = createImages(this.#engine);
  }

  async guarantees(options: Cancelable = {}): Promise<Guarantees> {
    return await this.#guaranteesBy(await this.#engine.recentFacts(options.signal), options);
  }

  async check(options: Cancelable = {}): Promise<Check> {
    try {
      const facts = await this.#engine.facts(options.signal);
      const check = checkFromFacts(facts);
      const where = { facts, local: await this.#engine.isLocal(), root: true };
      const ofKernel = onThisKernel(facts.defaultRuntime, where) ? [...ptraceFindings(), ...inotifyFindings()] : [];
      const ofImage = await imageFindings(this.#engine, this.#image, options.signal);
      return { ...check, findings: [...ofImage, ...check.findings, ...ofKernel] };
    } catch (error) {
      throwIfAborted(options);
      return toFailedCheck(error);
    }
  }

  async create(spec: Spec, options: CreateOptions): Promise<Sandbox> {
    const making = this.#make(spec, options);
    const created = await this.#orCleanedUp(making, options.signal);
    return await this.#sandbox(created, await this.#engine.facts());
  }

  async attach(ref: Ref, options: Cancelable = {}): Promise<Sandbox> {
    const id = fromRef(ref);
    const [inspected, facts] = await Promise.all([
      inspectContainer(this.#engine, id, options.signal).catch((error: unknown) => {
        // It went without this process, and may have been the last one on the network.
        if (isCode(error, 'not_found')) this.#engine.network.touched();
        throw error;
      }),
      this.#engine.recentFacts(options.signal),
    ]);
    if (inspected.labels?.instance !== this.#engine.instance)
      throw new CaissonError('not_found', 'that container is not a sandbox of this instance');
    return await this.#sandbox({ inspected, init: null }, facts);
  }

  async list(options: ListOptions): Promise<readonly Listed[]> {
    const filters = JSON.stringify({ label: [`${instanceLabel}=${options.instance}`] });
    const answer = await this.#engine.ask({
      what: 'list the sandboxes',
      method: 'GET',
      path: '/containers/json',
      query: { all: true, filters },
      signal: options.signal,
    });
    const [parts, sandboxes] = partition(list(answer), isPart);
    const listed = sandboxes.flatMap(toListed);
    // One whose sandbox is gone is what a crash left.
    const known = new Set(listed.map(({ labels }) => labels.sandbox));
    return [...listed, ...parts.flatMap(toListed).filter(({ labels }) => !known.has(labels.sandbox))];
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  readonly leftovers: Leftovers = {
    list: async () => (await this.#engine.network.unused()).map((name) => ({ name, what: 'a network' })),
    remove: () => this.#engine.network.removeUnused(),
  };

  async #sandbox({ inspected, init }: Created, facts: Facts): Promise<Sandbox> {
    const where = { facts, local: await this.#engine.isLocal(), root: process.geteuid?.() === 0 };
    const sameKernel = onThisKernel(inspected.runtime, where);
    const refusing = (): Promise<Refusing | null> => this.#refusing(facts);
    return new DockerSandbox(this.#engine, inspected, { host: facts.id, init, sameKernel, refusing });
  }

  async #make(spec: Spec, options: CreateOptions): Promise<Created> {
    // Beside each other. Where the network fails, its own step reports it.
    if (spec.network === 'open') this.#engine.network.ensure().catch(() => undefined);
    const facts = await this.#engine.facts(options.signal);
    const guarantees = await this.#guaranteesBy(facts, options);
    checkSpec(spec, guarantees);
    const plan = {
      spec,
      options,
      facts,
      diskLimit: guarantees.limits.diskBytes.enforced,
      hostUser: hostUser() ?? { uid: 0, gid: 0 },
    };
    const doorImage = spec.network === 'filtered' ? await this.#doorOf(options) : null;
    const refusing = await this.#refusing(facts);
    return make({ engine: this.#engine, spec, options, plan, doorImage, refusing });
  }

  /** `null`: nothing can be refused here. */
  async #refusing(facts: Facts): Promise<Refusing | null> {
    const { enforced } = await this.#canRefuse(facts);
    if (!enforced || this.#refusals === undefined) return null;
    return { refusals: this.#refusals, restore: this.#restore, onFailure: () => forgetTrial(this.#kept) };
  }

  async #canRefuse(facts: Facts): Promise<Enforcement> {
    const local = await this.#engine.isLocal();
    const no = (reason: string): Enforcement => ({ enforced: false, reason });
    if (!local) return no('the engine is not on this host');
    if (isPodman(facts) || !onThisKernel(facts.defaultRuntime, { facts, local, root: true }))
      return no('the engine is not Docker with runc or crun on the kernel of this host');
    return await this.#refusalsTried();
  }

  async #doorOf({ door }: CreateOptions): Promise<DoorImage> {
    if (door !== undefined && this.#doorImage !== undefined) return await this.#doorImage();
    throw new CaissonError('not_supported', 'a filtered network needs a door, and none was given');
  }

  /** Cleans up after an aborted create: rejects when nothing is left of it, or, with an engine that hangs, a little later. */
  async #orCleanedUp(making: Promise<Created>, signal: AbortSignal | undefined): Promise<Created> {
    try {
      return await untilAborted(making, signal);
    } catch (error) {
      if (signal?.aborted) await Promise.race([this.#cleanUp(making), delay(abortTimeoutMs)]);
      throw error;
    }
  }

  async #cleanUp(making: Promise<Created>): Promise<void> {
    try {
      const { inspected, init } = await making;
      init?.release();
      await removeContainer(this.#engine, inspected.id);
    } catch {
      // It failed, or was aborted, by itself, and then has removed what it made.
    }
  }

  async #guaranteesBy(facts: Facts, { signal }: Cancelable): Promise<Guarantees> {
    const disk = await untilAborted(this.#diskLimit(facts), signal);
    const local = await this.#engine.isLocal();
    const [door, refusals] = [this.#hasDoors(facts, local), await this.#canRefuse(facts)];
    return toGuarantees(facts, { disk, local, hostUser: hostUser() !== null, door, refusals });
  }

  /** SELinux would have to be asked about the socket, and Podman was not tried. */
  #hasDoors(facts: Facts, local: boolean): boolean {
    const shares = onThisKernel(facts.defaultRuntime, { facts, local, root: process.geteuid?.() === 0 });
    return shares && this.#doorImage !== undefined && !isPodman(facts) && !facts.selinux;
  }

  /** Found out once for each kind of storage: a trial makes a container. */
  #diskLimit(facts: Facts): Promise<Enforcement> {
    const storage = `${facts.storageDriver} ${facts.backingFilesystem}`;
    const known = this.#disk.get(storage) ?? findDiskLimit(this.#engine, facts);
    this.#disk.set(storage, known);
    return known.catch((error: unknown) => {
      this.#disk.delete(storage);
      throw error;
    });
  }
}

/** A container without all of our labels is not listed: nothing could be done with it, and it may be someone's own. */
function toListed(value: unknown): readonly Listed[] {
  const entry = object(value);
  const id = text(entry['Id']);
  const labels = fromEngineLabels(entry['Labels']);
  return id && labels ? [{ ref: toRef(id), labels, state: toState(entry['State']) }] : [];
}

/** Whether a container serves a sandbox, and so does not count as a sandbox. */
const isPart = (value: unknown): boolean => text(object(object(value)['Labels'])[roleLabel]) !== null;

function partition<T>(values: readonly T[], is: (value: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [values.filter(is), values.filter((value) => !is(value))];
}

function hostUser(): { uid: number; gid: number } | null {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  return uid === undefined || gid === undefined ? null : { uid, gid };
}
