/** What this host promises to a sandbox of Apptainer. */
import type { Enforcement, Guarantees } from '../../src/backend.ts';
import type { Facts } from './facts.ts';
import { apptainerProfile } from './seccomp.ts';

/** What of the facts it is about. */
interface HostFacts extends Pick<Facts, 'hierarchy' | 'hasNsenter'> {
  readonly host: { readonly account: Pick<Facts['host']['account'], 'handedOver'> };
}

export function guaranteesOf({ hierarchy, hasNsenter, host: { account } }: HostFacts): Guarantees {
  const byGroup: Enforcement =
    typeof hierarchy === 'string'
      ? { enforced: false, reason: hierarchy }
      : { enforced: true, by: `cgroup v${hierarchy.version}` };
  return {
    isolation: 'container',
    limits: {
      cpuCores: byGroup,
      memoryBytes: byGroup,
      pids: byGroup,
      diskBytes: account.handedOver
        ? { enforced: true, by: 'a disk image or tmpfs of that size' }
        : { enforced: false, reason: 'without root, files are kept in plain directories, which have no size' },
    },
    network: hasNsenter ? ['none', 'filtered', 'open'] : ['none', 'open'],
    refusals: { enforced: false, reason: 'an open network is that of the host itself' },
    persistence: 'directory',
    persistentDisk: account.handedOver,
    ephemeral: true,
    survivesRestart: true,
    kill: 'group',
    // To the account that runs containers for root, the files of root are closed.
    mounts: account.handedOver ? 'none' : 'read-write',
    credentials: account.handedOver ? 'copy' : 'bind',
    hardening: {
      readOnlyRoot: true,
      seccomp: apptainerProfile() !== null,
      setid: { refused: apptainerProfile() !== null, runtimes: [] },
      runtimes: [],
      shm: false,
      hostUser: true,
    },
  };
}
