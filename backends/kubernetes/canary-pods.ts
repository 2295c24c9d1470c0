/** The pods by which network policies are tried. They have no labels of a sandbox, so that they never count as one. */
import { shellText } from '../../src/lib/script.ts';
import { specOf } from './dry-run.ts';
import type { Pod } from './objects.ts';
import { literal, type Manifest, podOf } from './pod.ts';
import { canaryLabel, labelValue, networkSelector, trialLabel } from './records.ts';
import type { Settings } from './settings.ts';

/** `plain` and `other` are pods that no policy of Caisson selects; `closed` is one that has an open network. */
export const roles = ['plain', 'other', 'closed'] as const;
export type Role = (typeof roles)[number];

export const port = 29_480;
/** The cluster ends a canary by then, also where its process was killed. */
export const deadlineSeconds = 120;
/** The clocks of this host and of the cluster may differ by less. */
const skewSeconds = 60;
const mebibyte = 2 ** 20;

export interface Trial {
  readonly instance: string;
  /** Names the trial; a part of the names of its pods. */
  readonly id: string;
  /** The text that a listener of this trial answers. */
  readonly token: string;
}

export function canaryName({ id }: Trial, role: Role): string {
  return `caisson-canary-${id}-${role}`;
}

export function canaryPod(trial: Trial, role: Role, settings: Settings): Manifest {
  const name = canaryName(trial, role);
  const spec = { ...specOf(settings, 'open'), limits };
  const { spec: plain, ...pod } = podOf({ spec, options: { name, labels: noLabels, init: ['sh'] }, settings });
  const command = [
    '/bin/sh',
    '-c',
    shellText('backends/kubernetes/canary'),
    'sh',
    'listen',
    String(port),
    trial.token,
  ].map(literal);
  return {
    ...pod,
    metadata: { name, labels: labelsOf(trial, role) },
    spec: {
      ...plain,
      activeDeadlineSeconds: deadlineSeconds,
      affinity: besideOthers(trial),
      containers: (plain?.containers ?? []).map((each) => ({ ...each, command, stdin: false })),
    },
  };
}

/** Some quotas take no pod without limits. */
const limits = { cpuCores: 0.5, memoryBytes: 128 * mebibyte, diskBytes: null, pids: null };
const noLabels = { instance: '', sandbox: '', task: '', fingerprint: '', created: '', schema: '1' };

function labelsOf({ instance, id }: Trial, role: Role): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/managed-by': 'caisson',
    [canaryLabel]: labelValue(instance),
    [trialLabel]: id,
    ...(role === 'closed' ? networkSelector('open') : {}),
  };
}

/** All on one node: a network that is broken between two nodes would look as if a policy refused it. */
function besideOthers({ id }: Trial) {
  const term = { labelSelector: { matchLabels: { [trialLabel]: id } }, topologyKey: 'kubernetes.io/hostname' };
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}

/** Whether a trial that runs cannot need it any more: the cluster has ended it at its deadline, or it is older than that. */
export function isLeft({ metadata, status }: Pod, nowMs = Date.now()): boolean {
  if (metadata?.deletionTimestamp !== undefined) return false;
  if (status?.reason === 'DeadlineExceeded') return true;
  const ageMs = nowMs - Date.parse(metadata?.creationTimestamp ?? '');
  return ageMs > (deadlineSeconds + skewSeconds) * 1000;
}
