/** Canaries in the cluster: made, waited for, removed by uid, and those that a crash has left. */
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted } from '../shared/abort.ts';
import { canaryName, canaryPod, isLeft, type Role, roles, type Trial } from './canary-pods.ts';
import { fault } from './fault.ts';
import type { Here } from './here.ts';
import { identityOf, type Named, type Namespace } from './namespace.ts';
import type { Pod } from './objects.ts';
import { pause } from './pause.ts';
import { differences } from './read-back.ts';
import { canariesOf, trialOf } from './records.ts';
import { progressOf } from './state.ts';

export type Addresses = Readonly<Record<Role, string>>;

/** The rest of their deadline is for the looks. */
const startSeconds = 75;
const lookMs = 200;
const removedWithinMs = 20_000;

/** Their addresses, as soon as all run. */
export async function startCanaries(here: Here, trial: Trial, signal: AbortSignal): Promise<Addresses> {
  for (const role of roles) await create(here, trial, { role, signal });
  const deadline = performance.now() + Math.min(startSeconds, here.settings.pendingSeconds) * 1000;
  for (;;) {
    const found = await here.namespace.list('pods', trialOf(trial.id), { signal });
    const addresses = addressesOf(found, trial, here);
    if (addresses !== null) return addresses;
    if (performance.now() > deadline) throw lateError(found);
    await pause(lookMs, signal);
  }
}

interface Creating {
  readonly role: Role;
  readonly signal: AbortSignal;
}

/** The request is not given up halfway. One that a lost answer has left is taken as it is: no other trial has its name. */
async function create({ namespace, settings }: Here, trial: Trial, { role, signal }: Creating): Promise<void> {
  throwIfAborted({ signal });
  try {
    await namespace.create('pods', canaryPod(trial, role, settings));
  } catch (error) {
    throw fault(error, 'create a canary pod');
  }
}

/** `null`: not all of them run. */
function addressesOf(found: readonly Pod[], trial: Trial, { settings }: Here): Addresses | null {
  const addressOf = (role: Role): string | null => {
    const pod = found.find(({ metadata }) => metadata?.name === canaryName(trial, role));
    if (pod === undefined) throw new CaissonError('unavailable', 'a canary pod was deleted during its trial');
    const progress = progressOf(pod);
    if (progress.is === 'ended') throw neverError(progress.why);
    const changed = differences(canaryPod(trial, role, settings).spec, pod.spec).slice(0, 5);
    if (changed.length > 0)
      throw new CaissonError('not_supported', `the cluster changed the canary pod: ${changed.join(', ')}`);
    return progress.is === 'running' ? (pod.status?.podIP ?? null) : null;
  };
  const [plain, other, closed] = [addressOf('plain'), addressOf('other'), addressOf('closed')];
  return plain === null || other === null || closed === null ? null : { plain, other, closed };
}

function lateError(found: readonly Pod[]): CaissonError {
  const whys = found.map(progressOf).flatMap((each) => (each.is === 'running' ? [] : [each.why]));
  return neverError(`${whys[0] ?? 'it has no address'} (after ${startSeconds} s)`);
}

function neverError(why: string): CaissonError {
  return new CaissonError('failed_precondition', `a canary pod does not start: ${why}`);
}

/**
 * Removes those of the trial, whatever of it there is: also one whose creation was never answered. Their deadline ends what cannot be
 * removed now.
 */
export async function endCanaries(namespace: Namespace, { id }: Pick<Trial, 'id'>): Promise<void> {
  const waiting = { signal: AbortSignal.timeout(removedWithinMs) };
  try {
    await removeAll(namespace, (await namespace.list('pods', trialOf(id), waiting)).map(identityOf), waiting);
  } catch {
    // The next trial removes pods that stay, and so does gc.
  }
}

/** They keep nothing, so that no word of their node is waited for: a quota would count them until it comes. */
async function removeAll(namespace: Namespace, all: readonly Named[], waiting: Waiting): Promise<void> {
  await Promise.all(all.map((each) => namespace.force(each, waiting)));
}

interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

/** Those of trials that a crash has cut off, never those of one that runs. */
export async function leftCanaries(
  namespace: Namespace,
  { instance, signal }: Waiting & { readonly instance: string },
): Promise<readonly Named[]> {
  const found = await namespace.list('pods', canariesOf(instance), { signal });
  return found.filter((pod) => isLeft(pod)).map(identityOf);
}

export async function removeLeft(...[namespace, options]: Parameters<typeof leftCanaries>): Promise<void> {
  await removeAll(namespace, await leftCanaries(namespace, options), { signal: options.signal });
}
