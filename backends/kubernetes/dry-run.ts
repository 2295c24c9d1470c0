/** Which pods the cluster would take: it is asked to try, and to store nothing. No right beyond that of creation is needed. */
import { randomUUID } from 'node:crypto';
import type { Cancelable, Labels, NetworkMode, Spec } from '../../src/backend.ts';
import { isRecord } from '../shared/labels.ts';
import { Refusal } from './fault.ts';
import type { Namespace } from './namespace.ts';
import { podOf } from './pod.ts';
import { differences } from './read-back.ts';
import type { Settings } from './settings.ts';

export type TriedMode = Extract<NetworkMode, 'open' | 'none'>;

export type Tried = { readonly mode: TriedMode } & (
  | { readonly is: 'taken' }
  /** The level of Pod Security, a policy of admission, a quota or a field refuses it. */
  | { readonly is: 'refused'; readonly why: string }
  /** Paths of what admission would change or add. */
  | { readonly is: 'changed'; readonly paths: readonly string[] }
  /** The cluster cannot try, as with a webhook that takes no trials. */
  | { readonly is: 'unknown'; readonly why: string }
);

/** Refusals of the pod itself, by right, name of the namespace, or content. */
const refusing: readonly number[] = [403, 404, 422];

export async function tryModes(
  namespace: Namespace,
  settings: Settings,
  options: Cancelable,
): Promise<readonly Tried[]> {
  const modes: readonly TriedMode[] = settings.initImage === null ? ['open'] : ['open', 'none'];
  return await Promise.all(modes.map((mode) => tryOne({ namespace, settings, mode }, options)));
}

interface Trial {
  readonly namespace: Namespace;
  readonly settings: Settings;
  readonly mode: TriedMode;
}

async function tryOne({ namespace, settings, mode }: Trial, { signal }: Cancelable): Promise<Tried> {
  const name = `caisson-dry-run-${randomUUID()}`;
  const options = { name, labels: labels(name), init: ['sh'] as const };
  const body = podOf({ spec: specOf(settings, mode), options, settings });
  const query = { dryRun: 'All' };
  try {
    const stored = await namespace.api.ask({
      method: 'POST',
      path: namespace.path('pods'),
      query,
      body,
      doing: 'try to create a pod',
      signal,
    });
    const paths = differences(body.spec, isRecord(stored) ? stored['spec'] : null);
    return paths.length === 0 ? { mode, is: 'taken' } : { mode, is: 'changed', paths: paths.slice(0, 10) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const why = error.words === '' ? error.message : error.words;
    return { mode, is: refusing.includes(error.status) ? 'refused' : 'unknown', why };
  }
}

/** Asks for nothing that a node must have. */
export function specOf({ image }: Settings, network: TriedMode): Spec {
  return {
    backend: 'kubernetes',
    image,
    limits: { cpuCores: null, memoryBytes: null, diskBytes: null, pids: null },
    network,
    persistent: false,
    cwd: '/workspace',
    mounts: [],
    hardening: { readOnlyRoot: false, seccomp: 'engine', runtime: null, shmBytes: null, user: 'root' },
  };
}

function labels(name: string): Labels {
  const none = 'dry-run';
  return { instance: none, sandbox: name, task: none, fingerprint: none, created: '1970-01-01T00:00:00Z', schema: '1' };
}
