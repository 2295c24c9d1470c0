/** The sandboxes of an instance: claims with their pods, and pods without a claim. */
import type { Listed, ListOptions, ResourceState } from '../../src/backend.ts';
import type { Here } from './here.ts';
import type { Claim, Pod } from './objects.ts';
import { labelsOf, ofInstance } from './records.ts';
import { refOf } from './sandbox.ts';
import { endOf, resourceState } from './state.ts';

export async function listed(here: Here, { instance, signal }: ListOptions): Promise<readonly Listed[]> {
  const { namespace } = here;
  const selector = ofInstance(instance);
  const waiting = { signal };
  const pods = await namespace.list('pods', selector, waiting);
  const claims = await namespace.list('persistentvolumeclaims', selector, waiting);
  const byName = new Map(pods.map((pod) => [pod.metadata?.name, pod]));
  const kept = new Set(claims.map(({ metadata }) => metadata?.name));
  const alone = pods.filter(({ metadata }) => !kept.has(metadata?.name));
  return [
    ...claims.flatMap((claim) => entry(here, { pod: byName.get(claim.metadata?.name) ?? null, claim })),
    ...alone.flatMap((pod) => entry(here, { pod, claim: null })),
  ].filter(({ labels }) => labels.instance === instance);
}

interface Both {
  readonly pod: Pod | null;
  readonly claim: Claim | null;
}

/** What is not ours, or is about to go, is left out. */
function entry(here: Here, { pod, claim }: Both): readonly Listed[] {
  const { metadata } = claim ?? pod ?? {};
  const labels = labelsOf(metadata);
  if (labels === null || metadata?.uid === undefined) return [];
  const state = pod === null ? 'stopped' : stateOf(here, pod);
  return [{ ref: refOf(here.namespace.name, { pod, claim }), labels, state }];
}

function stateOf({ namespace }: Here, pod: Pod): ResourceState {
  const hasBegun = namespace.begun.has(pod.metadata?.uid ?? '') && endOf(pod) === null;
  return hasBegun ? 'running' : resourceState(pod);
}
