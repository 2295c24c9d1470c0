/** What pods of a cluster promise: what the node's kernel holds, and no more. */
import type { Enforcement, Guarantees } from '../../src/backend.ts';
import type { Settings } from './settings.ts';
import { shortcoming, type Verdict } from './verdict.ts';

/** What differs from cluster to cluster. */
export interface Facts {
  /** Version of the API server: 1.30 is [1, 30]. */
  readonly version: readonly [number, number];
  /** `null`: they may not be listed. */
  readonly runtimeClasses: readonly string[] | null;
}

/** Volumes in memory have had their size since then. */
const sizedSince = 22;

export interface Known extends Facts {
  /** The result of the last trial of the network policies, or why there was none. */
  readonly policies: Verdict;
}

export function guaranteesOf({ initImage }: Settings, { version, runtimeClasses, policies }: Known): Guarantees {
  const [major, minor] = version;
  return {
    isolation: 'container',
    apart: true,
    limits: {
      cpuCores: { enforced: true, by: 'the kubelet, by control groups' },
      memoryBytes: { enforced: true, by: 'the kubelet, by control groups' },
      diskBytes: {
        enforced: false,
        reason: 'Kubernetes lets a pod write beyond its limit and evicts it afterwards, with its files',
      },
      pids: { enforced: false, reason: 'Kubernetes has no limit of processes in a pod; a node may have one for each' },
    },
    network: initImage === null ? ['open'] : ['open', 'none'],
    refusals: refusalsOf(policies),
    persistence: 'place',
    filesGoWithSandbox: true,
    ephemeral: true,
    survivesRestart: true,
    kill: 'group',
    mounts: 'none',
    credentials: 'copy',
    hardening: {
      readOnlyRoot: true,
      seccomp: false,
      runtimes: runtimeClasses ?? [],
      shm: major > 1 || minor >= sizedSince,
      hostUser: false,
    },
  };
}

function refusalsOf(policies: Verdict): Enforcement {
  if (policies.is !== 'proved') return { enforced: false, reason: shortcoming(policies) };
  const what = policies.ways.includes('outbound') ? '' : ' on inbound connections';
  return { enforced: true, by: `a NetworkPolicy, whose effect${what} a canary has shown` };
}
