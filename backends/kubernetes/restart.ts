/** Starts a stopped sandbox: a new pod on the claim that has its files, from the manifest that stands there. */
import type { PowerOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { parseJson } from '../shared/labels.ts';
import { type MadePod, podFor } from './create.ts';
import type { Here } from './here.ts';
import { type Claim, isStored, type Pod } from './objects.ts';
import type { Manifest } from './pod.ts';
import { attachPlaced } from './placed.ts';
import { labelsOf, manifestAnnotation } from './records.ts';

export async function startAgain(here: Here, claim: Claim, { signal }: PowerOptions): Promise<Pod> {
  const { namespace, settings } = here;
  const labels = labelsOf(claim.metadata);
  const manifest = manifestOf(claim);
  if (labels === null || manifest === null) throw unreadable(claim);
  const canceled = signal === undefined ? {} : { signal };
  const again = (): Promise<MadePod> => podFor(namespace, manifest, { labels, ...canceled });
  const patience = { pendingSeconds: settings.pendingSeconds, ...canceled };
  const { pod, wire } = await attachPlaced(namespace, { made: await again(), again }, patience);
  // Its stdin stays open without a client.
  wire.close();
  return pod;
}

function manifestOf({ metadata }: Claim): Manifest | null {
  const parsed = parseJson(metadata?.annotations?.[manifestAnnotation] ?? '');
  return isManifest(parsed) ? parsed : null;
}

function isManifest(value: unknown): value is Manifest {
  return isStored(value) && Reflect.get(value, 'kind') === 'Pod' && value.spec !== undefined;
}

function unreadable({ metadata }: Claim): CaissonError {
  return new CaissonError(
    'failed_precondition',
    `the claim ${metadata?.name ?? ''} does not say what its pod is made from`,
    {
      remedy: 'its annotations were changed: restore them, or remove the sandbox',
    },
  );
}
