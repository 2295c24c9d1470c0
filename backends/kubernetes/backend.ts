/** Sandboxes as pods of a Kubernetes cluster. */
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
import { CaissonError, isCode } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { refuseMore } from '../shared/refuse-more.ts';
import { toCheck, toFailedCheck } from './check.ts';
import { Cluster } from './cluster.ts';
import { make, unmake, type Wanted } from './create.ts';
import { tryModes } from './dry-run.ts';
import { guaranteesOf } from './guarantees.ts';
import { listed } from './listed.ts';
import { identityOf } from './namespace.ts';
import { attachFirst } from './ready.ts';
import { labelsOf } from './records.ts';
import { missingRights } from './rights.ts';
import { goneError, KubernetesSandbox, ownPod, sandboxOf } from './sandbox.ts';
import { runScript } from './script.ts';

/** Does no I/O. */
export function open(options: OpenOptions): Backend {
  return new KubernetesBackend(options);
}

class KubernetesBackend implements Backend {
  readonly name = 'kubernetes';
  readonly #cluster: Cluster;
  readonly #instance: string;

  constructor(options: OpenOptions) {
    this.#cluster = new Cluster(options);
    this.#instance = options.instance;
  }

  async guarantees(options: Cancelable = {}): Promise<Guarantees> {
    throwIfAborted(options);
    const facts = await untilAborted(this.#cluster.facts(), options.signal);
    return guaranteesOf(this.#cluster.settings, facts);
  }

  async check(options: Cancelable = {}): Promise<Check> {
    throwIfAborted(options);
    try {
      const { settings } = this.#cluster;
      const version = await this.#cluster.version(options);
      const { namespace } = await this.#cluster.here();
      const missing = await missingRights(namespace, options);
      const mayCreate = !missing.some(({ verb, resource }) => verb === 'create' && resource === 'pods');
      const tried = mayCreate ? await tryModes(namespace, settings, options) : [];
      const sandboxes = missing.length > 0 ? null : (await this.list({ instance: this.#instance, ...options })).length;
      return toCheck({ place: namespace.api.access.place, settings, version, missing, tried, sandboxes });
    } catch (error) {
      throwIfAborted(options);
      return toFailedCheck(error);
    }
  }

  async create(spec: Spec, options: CreateOptions): Promise<Sandbox> {
    refuseMore(await this.guarantees(options), spec);
    let isClaimMade = false;
    const wanted = { spec, options, onClaim: () => (isClaimMade = true) };
    const making = this.#create(wanted);
    try {
      return await untilAborted(making, options.signal);
    } catch (error) {
      await making.catch(() => undefined);
      const { namespace } = await this.#cluster.here();
      // The first error is the one to be reported, also when the cluster does not let us tidy up; the label finds what stays.
      if (!isCode(error, 'conflict')) await unmake(namespace, wanted, isClaimMade).catch(() => undefined);
      throw error;
    }
  }

  async attach(ref: Ref, options: Cancelable = {}): Promise<Sandbox> {
    throwIfAborted(options);
    const { v, name, uid, namespace: where, keeps } = ref;
    if (v !== 1 || typeof name !== 'string' || typeof uid !== 'string' || typeof keeps !== 'boolean')
      throw new CaissonError('invalid_argument', 'this is no reference to a sandbox of Kubernetes');
    const here = await untilAborted(this.#cluster.here(), options.signal);
    if (where !== here.namespace.name) throw elsewhere(String(where), here.namespace.name);
    const claim = keeps ? await here.namespace.claim(name, options) : null;
    const pod = await ownPod(here, { name, uid }, claim === null ? null : { id: sandboxOf(claim) });
    const survivor = keeps ? claim : pod;
    if (survivor?.metadata?.uid !== uid || labelsOf(survivor.metadata) === null) throw goneError(name);
    return new KubernetesSandbox(here, { pod, claim });
  }

  async list(options: ListOptions): Promise<readonly Listed[]> {
    throwIfAborted(options);
    return await listed(await untilAborted(this.#cluster.here(), options.signal), options);
  }

  async close(): Promise<void> {
    await this.#cluster.close();
  }

  async #create(wanted: Wanted): Promise<Sandbox> {
    const { spec, options } = wanted;
    const here = await this.#cluster.here();
    const made = await make(here, wanted);
    const { pendingSeconds } = here.settings;
    const attached = await attachFirst(here.namespace, identityOf(made.pod), { ...options, pendingSeconds });
    const sandbox = new KubernetesSandbox(here, { pod: attached.pod, claim: made.claim }, attached);
    const target = await sandbox.target();
    const [{ code }] = await Promise.all([runScript(target, 'prepare', [spec.cwd], options.signal), target.begin()]);
    if (code !== 0) throw unprepared(spec);
    return sandbox;
  }
}

function unprepared({ image, cwd }: Spec): CaissonError {
  return new CaissonError('not_supported', `the image lacks what commands need, or ${cwd} cannot be made`, {
    details: { image, cwd, needs: ['sh', 'dd', 'cat', 'kill', 'setsid'] },
    remedy: 'use an image with a POSIX shell and coreutils, such as debian:12',
  });
}

function elsewhere(where: string, here: string): CaissonError {
  return new CaissonError(
    'failed_precondition',
    `the sandbox is in the namespace ${where.slice(0, 63)}, and not in ${here}`,
    {
      remedy: 'set terminal.kubernetes_namespace and terminal.kubernetes_context back to what they were',
    },
  );
}
