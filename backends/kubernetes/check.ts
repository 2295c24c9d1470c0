/** How the cluster is, for `doctor`. */
import type { Check, Finding } from '../../src/backend.ts';
import { isCode, toCaissonError } from '../../src/errors.ts';
import type { Tried, TriedMode } from './dry-run.ts';
import type { Place } from './kubeconfig.ts';
import type { Proof } from './proof.ts';
import { needed, type Right } from './rights.ts';
import type { Settings } from './settings.ts';
import { provedAt, unproved } from './unproved.ts';

export interface Looked {
  readonly place: Place;
  readonly settings: Settings;
  readonly version: string;
  readonly missing: readonly Right[];
  /** Empty where pods may not be created. */
  readonly tried: readonly Tried[];
  readonly sandboxes: number | null;
  /** The last trial of the network policies, or why there was none. */
  readonly proof: Proof;
}

export function toCheck(looked: Looked): Check {
  const { place, settings, version, missing, tried, sandboxes } = looked;
  const isReady = missing.length === 0;
  return {
    status: isReady ? 'ready' : 'unhealthy',
    summary: isReady
      ? `Kubernetes ${version} at ${place.server} answers; namespace ${place.namespace}`
      : `Kubernetes ${version} at ${place.server} answers, and ${missing.length} of ${needed.length} rights are missing`,
    remedy: isReady ? null : 'apply the Role in docs/kubernetes.md to the account of Caisson',
    facts: {
      server: place.server,
      context: place.context,
      namespace: place.namespace,
      version,
      sandboxes,
      policiesProved: provedAt(looked.proof),
    },
    findings: [
      ...missing.map(missingRight),
      ...tried.flatMap(findingOf),
      ...(settings.initImage === null ? [noNone] : []),
      ...unproved(looked.proof),
    ],
  };
}

const noNone: Finding = {
  severity: 'warning',
  id: 'no-init-image',
  message: 'sandboxes without network are refused: nothing takes the interface of a pod down',
  remedy: 'set terminal.kubernetes_init_image to an image with the program ip, by its digest',
};

function missingRight({ verb, resource }: Right): Finding {
  return {
    severity: 'error',
    id: `missing-right-${verb}-${resource.replace('/', '-')}`,
    message: `the account may not ${verb} ${resource}`,
    remedy: 'apply the Role in docs/kubernetes.md to it',
  };
}

/** Most tasks have sandboxes whose network is `open`. */
function findingOf(tried: Tried): readonly Finding[] {
  const { mode } = tried;
  const severity = mode === 'open' ? 'error' : 'warning';
  const pod = `a pod whose network is ${mode}`;
  if (tried.is === 'taken') return [];
  if (tried.is === 'refused')
    return [
      {
        severity,
        id: `mode-refused-${mode}`,
        message: `the cluster refuses ${pod}: ${tried.why}`,
        remedy: levels[mode],
      },
    ];
  if (tried.is === 'changed') {
    const message = `the cluster would change ${pod}: ${tried.paths.join(', ')}`;
    return [
      { severity, id: `mode-changed-${mode}`, message, remedy: 'exclude the namespace from what injects into pods' },
    ];
  }
  const message = `the cluster cannot try ${pod}, so that the first sandbox shows whether it takes one: ${tried.why}`;
  return [
    { severity: 'warning', id: `mode-untried-${mode}`, message, remedy: 'see what admission webhooks the cluster has' },
  ];
}

/** Pod Security: `baseline` takes what sandboxes have, and NET_ADMIN only `privileged`. */
const levels: Readonly<Record<TriedMode, string>> = {
  open: 'label the namespace pod-security.kubernetes.io/enforce=baseline, or see the quota or policy that the message names',
  none: 'label the namespace pod-security.kubernetes.io/enforce=privileged: the container that takes the network away needs NET_ADMIN',
};

export function toFailedCheck(error: unknown): Check {
  const { message, remedy } = toCaissonError(error);
  return {
    status: isCode(error, 'failed_precondition') ? 'missing' : 'unhealthy',
    summary: message,
    remedy: remedy ?? 'see docs/kubernetes.md',
    facts: {},
    findings: [],
  };
}
