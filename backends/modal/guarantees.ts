/** What Modal promises to every sandbox. Figures of the service are from its documentation. */
import type { Enforcement, Guarantees, Spec } from '../../src/backend.ts';
import type { Plan } from './record.ts';

const held = (by: string): Enforcement => ({ enforced: true, by });
const open = (reason: string): Enforcement => ({ enforced: false, reason });

export const guarantees: Guarantees = {
  isolation: 'container',
  apart: true,
  limits: {
    cpuCores: held('the hard limit of cores of the service'),
    memoryBytes: held('the hard limit of memory of the service, which does not report what it ends for it'),
    diskBytes: open('the service has no quota of files for one sandbox'),
    pids: open('the service has no limit of processes for one sandbox'),
  },
  network: ['open', 'filtered', 'none'],
  // Names on its list are reached by TLS alone. How many it takes is not documented: the number is Caisson's.
  filter: { ports: [443], mostHosts: 100 },
  persistence: 'place',
  filesGoWithSandbox: true,
  ephemeral: true,
  survivesRestart: true,
  kill: 'group',
  mounts: 'none',
  credentials: 'copy',
  hardening: { readOnlyRoot: false, seccomp: false, runtimes: [], shm: false, hostUser: false },
};

const mebibyte = 1024 * 1024;

/** In the units of the service, rounded up: the smallest steps are a thousandth of a core and a mebibyte. */
export function planOf({ limits, network, persistent }: Spec): Plan {
  return {
    milliCores: limits.cpuCores === null ? null : Math.max(1, Math.ceil(limits.cpuCores * 1000)),
    memoryMib: limits.memoryBytes === null ? null : Math.max(1, Math.ceil(limits.memoryBytes / mebibyte)),
    network: network === 'open' || network === 'filtered' ? network : 'none',
    persistent,
  };
}
