/** Makes a sandbox, or takes up the one that a lost answer has left. */
import type { Cancelable, CreateOptions, Spec } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted } from '../shared/abort.ts';
import { claimOf } from './claim.ts';
import { fault } from './fault.ts';
import type { Here } from './here.ts';
import { identityOf, type Named, type Namespace, type Resource } from './namespace.ts';
import type { Claim, Pod } from './objects.ts';
import { type Manifest, podOf } from './pod.ts';
import { ensurePolicies } from './policies.ts';
import { isAllowed } from './rights.ts';
import { differences } from './read-back.ts';
import { labelsOf, objectName } from './records.ts';
import { endOf } from './state.ts';

export interface MadePod {
  readonly pod: Pod;
  /** Whether this call has made it: an earlier one whose answer was lost may have. */
  readonly isNew: boolean;
}

export interface Made {
  readonly claim: Claim | null;
  readonly made: MadePod;
  /** Makes a pod in the place of one that has ended. */
  readonly again: () => Promise<MadePod>;
}

export interface Wanted {
  readonly spec: Spec;
  readonly options: CreateOptions;
  /** Called when a claim has been made: one that was there has files, which no failure may take. */
  readonly onClaim: () => void;
}

/** Stored in the cluster, and not yet running. */
export async function make(here: Here, wanted: Wanted): Promise<Made> {
  const { spec, options } = wanted;
  throwIfAborted(options);
  const manifest = podOf({ spec, options, settings: here.settings });
  await ensurePolicies(here, options);
  const claim = spec.persistent ? await claimFor(here, wanted, manifest) : null;
  const again = (): Promise<MadePod> => podFor(here.namespace, manifest, options);
  return { claim, made: await again(), again };
}

/** What a stopped sandbox is started from: the manifest of its pod stands at its claim. */
export async function podFor(
  namespace: Namespace,
  manifest: Manifest,
  options: Pick<CreateOptions, 'labels' | 'signal'>,
): Promise<MadePod> {
  const name = identityName(manifest);
  for (;;) {
    const made = await created(namespace, { resource: 'pods', body: manifest }, options);
    if (made !== null) return { pod: await asSent(namespace, manifest, made), isNew: true };
    const there = await namespace.pod(name, options);
    if (there === null) continue;
    const labels = ownOr(there, options, name);
    const isSame = labels.fingerprint === options.labels.fingerprint && endOf(there) === null;
    if (isSame) return { pod: await asSent(namespace, manifest, there), isNew: false };
    await namespace.remove('pods', identityOf(there), options);
    await namespace.gone('pods', identityOf(there), options);
  }
}

async function claimFor(here: Here, wanted: Wanted, manifest: Manifest): Promise<Claim> {
  const { spec, options, onClaim } = wanted;
  const { namespace, settings } = here;
  const body = claimOf({ options, settings, network: spec.network, manifest });
  const made = await created(namespace, { resource: 'persistentvolumeclaims', body, onMade: onClaim }, options);
  if (made !== null) return made;
  const name = objectName(options.name);
  const there = await namespace.claim(name, options);
  if (there === null) return await claimFor(here, wanted, manifest);
  if (there.metadata?.deletionTimestamp !== undefined) {
    await namespace.gone('persistentvolumeclaims', identityOf(there), options);
    return await claimFor(here, wanted, manifest);
  }
  ownOr(there, options, name);
  // The files stay; what they are shown to is another pod.
  await namespace.patch('persistentvolumeclaims', name, { metadata: body.metadata });
  return there;
}

/** Nothing that was asked for is missing, and nothing was added that opens a way in or out. */
async function asSent(namespace: Namespace, manifest: Manifest, stored: Pod): Promise<Pod> {
  const paths = differences(manifest.spec, stored.spec);
  if (paths.length === 0) return stored;
  await namespace.remove('pods', identityOf(stored));
  const some = paths.slice(0, 10);
  throw new CaissonError('not_supported', `the cluster changed the pod that was sent to it: ${some.join(', ')}`, {
    details: { changed: some },
    remedy:
      'exclude the namespace of the sandboxes from what injects into pods, or use a newer server for fields that it drops',
  });
}

interface Creating {
  readonly resource: Resource;
  readonly body: unknown;
  readonly onMade?: () => void;
}

/** The request is not given up halfway: what comes into being after that would stay. */
async function created(
  namespace: Namespace,
  { resource, body, onMade }: Creating,
  options: Cancelable,
): Promise<Pod | null> {
  throwIfAborted(options);
  try {
    const made = await namespace.create(resource, body);
    if (made !== null) onMade?.();
    throwIfAborted(options);
    return made;
  } catch (error) {
    const doing = `create ${resource === 'pods' ? 'the pod' : 'the volume claim'}`;
    throw await refused(namespace, resource, fault(error, doing));
  }
}

/** A quota that is used up has the status of missing rights: which of the two it is, the server says when it is asked for the right. */
async function refused(namespace: Namespace, resource: Resource, error: CaissonError): Promise<CaissonError> {
  if (error.code !== 'permission_denied') return error;
  const mayCreate = await isAllowed(namespace, { verb: 'create', resource, group: '' }).catch(() => false);
  if (!mayCreate) return error;
  return new CaissonError('resource_exhausted', error.message, {
    cause: error,
    details: error.details,
    remedy:
      'remove sandboxes, or raise the ResourceQuota of the namespace; an admission policy may refuse pods as well',
  });
}

function ownOr(there: Claim, { labels }: Pick<CreateOptions, 'labels'>, name: string) {
  const found = labelsOf(there.metadata);
  if (found !== null && found.sandbox === labels.sandbox && found.instance === labels.instance) return found;
  throw new CaissonError('conflict', `the name ${name} belongs to something else in the namespace`, {
    details: { name },
  });
}

/** Removes what `make` has made, whatever of it there is; a claim only when it was made by it. */
export async function unmake(
  namespace: Namespace,
  { options }: Pick<Wanted, 'options'>,
  isClaimMade: boolean,
): Promise<void> {
  const name = objectName(options.name);
  const found = await Promise.all([namespace.pod(name), isClaimMade ? namespace.claim(name) : null]);
  const own = found.map((each) =>
    each !== null && labelsOf(each.metadata)?.sandbox === options.labels.sandbox ? identityOf(each) : null,
  );
  await removeBoth(namespace, { pod: own[0] ?? null, claim: own[1] ?? null });
}

export async function removeBoth(
  namespace: Namespace,
  { pod, claim }: { readonly pod: Named | null; readonly claim: Named | null },
  options: { readonly signal?: AbortSignal | undefined; readonly onSent?: (() => void) | undefined } = {},
): Promise<void> {
  if (pod !== null) await namespace.remove('pods', pod, options);
  if (claim !== null) await namespace.remove('persistentvolumeclaims', claim, options);
  options.onSent?.();
  if (pod !== null) await namespace.gone('pods', pod, options);
  if (claim !== null) await namespace.gone('persistentvolumeclaims', claim, options);
}

function identityName({ metadata }: Manifest): string {
  return metadata?.name ?? '';
}
