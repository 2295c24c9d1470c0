/** Sandboxes as pods of a Kubernetes cluster. */
import type {
  Backend,
  Cancelable,
  Check,
  CheckOptions,
  CreateOptions,
  Guarantees,
  GuaranteesOptions,
  Leftovers,
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
import { leftCanaries, removeLeft } from './canaries.ts';
import { toCheck, toFailedCheck } from './check.ts';
import { Cluster } from './cluster.ts';
import { make, unmake, type Wanted } from './create.ts';
import { tryModes } from './dry-run.ts';
import { guaranteesOf } from './guarantees.ts';
import { listed } from './listed.ts';
import { attachPlaced } from './placed.ts';
import { reported } from './ready.ts';
import { labelsOf } from './records.ts';
import { missingRights } from './rights.ts';
import { goneError, KubernetesSandbox, ownPod, sandboxOf } from './sandbox.ts';
import { untried } from './verdict.ts';

const noRights = { verdict: untried.rights, triedAtMs: null };

/** A node reports each second. */
const reportedWithinMs = 3000;

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

  async guarantees({ trial, signal }: GuaranteesOptions = {}): Promise<Guarantees> {
    throwIfAborted(signal === undefined ? {} : { signal });
    const facts = await untilAborted(this.#cluster.facts(), signal);
    const how = trial === undefined ? {} : { trial };
    const { verdict } = await untilAborted(this.#cluster.policies(how), signal);
    return guaranteesOf(this.#cluster.settings, { ...facts, policies: verdict });
  }

  async check({ trial, ...options }: CheckOptions = {}): Promise<Check> {
    throwIfAborted(options);
    try {
      const { settings } = this.#cluster;
      const version = await this.#cluster.version(options);
      const { namespace } = await this.#cluster.here();
      const missing = await missingRights(namespace, options);
      const mayCreate = !missing.some(({ verb, resource }) => verb === 'create' && resource === 'pods');
      const tried = mayCreate ? await tryModes(namespace, settings, options) : [];
      const sandboxes = missing.length > 0 ? null : (await this.list({ instance: this.#instance, ...options })).length;
      const proof =
        missing.length > 0 ? noRights : await this.#cluster.policies({ ...options, trial: trial ?? 'known' });
      return toCheck({ place: namespace.api.access.place, settings, version, missing, tried, sandboxes, proof });
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
    const now = await ownPod(here, { name, uid }, claim === null ? null : { id: sandboxOf(claim) });
    // One that another process has just made, and may have run commands in.
    const pod =
      now === null
        ? null
        : await reported(here.namespace, now, { withinMs: reportedWithinMs, isAwaited: true, ...options });
    const survivor = keeps ? claim : pod;
    if (survivor?.metadata?.uid !== uid || labelsOf(survivor.metadata) === null) throw goneError(name);
    return new KubernetesSandbox(here, { pod, claim });
  }

  async list(options: ListOptions): Promise<readonly Listed[]> {
    throwIfAborted(options);
    return await listed(await untilAborted(this.#cluster.here(), options.signal), options);
  }

  /** Pods by which policies were tried, of a process that was killed. */
  readonly leftovers: Leftovers = {
    list: async (options) => {
      const { namespace } = await this.#cluster.here();
      return (await leftCanaries(namespace, options)).map(({ name }) => ({ name, what: 'a canary pod' }));
    },
    remove: async (options) => await removeLeft((await this.#cluster.here()).namespace, options),
  };

  async close(): Promise<void> {
    await this.#cluster.close();
  }

  async #create(wanted: Wanted): Promise<Sandbox> {
    const { spec, options } = wanted;
    const here = await this.#cluster.here();
    const { claim, ...placing } = await make(here, wanted);
    const { pendingSeconds } = here.settings;
    const attached = await attachPlaced(here.namespace, placing, { ...options, pendingSeconds });
    if (!attached.isPrepared) throw unprepared(spec);
    return new KubernetesSandbox(here, { pod: attached.pod, claim }, attached);
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
