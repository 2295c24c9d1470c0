/** What pods of a cluster promise: what the node's kernel holds, and no more. */
import type { Guarantees } from '../../src/backend.ts';
import type { Settings } from './settings.ts';

/** What differs from cluster to cluster. */
export interface Facts {
  /** Version of the API server: 1.30 is [1, 30]. */
  readonly version: readonly [number, number];
  /** `null`: they may not be listed. */
  readonly runtimeClasses: readonly string[] | null;
  /** Whether a canary has shown that policies are applied. */
  readonly policyProved: boolean;
}

/** Volumes in memory have had their size since then. */
const sizedSince = 22;

export function guaranteesOf({ initImage }: Settings, { version, runtimeClasses, policyProved }: Facts): Guarantees {
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
    refusals: policyProved
      ? { enforced: true, by: 'a NetworkPolicy, whose effect a canary has shown' }
      : { enforced: false, reason: 'nothing has shown that the cluster applies network policies' },
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
