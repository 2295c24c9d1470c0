/** What the service promises to a sandbox. */
import type { Guarantees, Limits } from '../../src/backend.ts';
import type { Settings } from './settings.ts';

const gibibyte = 2 ** 30;

export function guaranteesOf({ maxCpu, maxMemory, maxDisk }: Settings): Guarantees {
  return {
    isolation: 'container',
    apart: true,
    limits: {
      cpuCores: { enforced: true, by: `Daytona, in whole cores, at most ${maxCpu}` },
      memoryBytes: { enforced: true, by: `Daytona, in whole GiB, at most ${maxMemory}` },
      diskBytes: { enforced: true, by: `Daytona, in whole GiB, at most ${maxDisk}` },
      pids: { enforced: false, reason: 'Daytona has no limit of processes' },
    },
    network: ['open', 'filtered', 'none'],
    // What a list of names opens at the service are the ports of the web. It takes twenty of them.
    filter: { ports: [80, 443], mostHosts: 20 },
    // Rules around the sandbox, which keeps its interfaces; what is set is read back.
    noneBy: 'filter',
    persistence: 'place',
    filesGoWithSandbox: true,
    ephemeral: true,
    survivesRestart: true,
    kill: 'group',
    mounts: 'none',
    credentials: 'copy',
    hardening: { readOnlyRoot: false, seccomp: false, runtimes: [], shm: false, hostUser: false },
  };
}

export interface Resources {
  readonly cpu?: number;
  readonly memory?: number;
  readonly disk?: number;
}

/** In the service's units: rounded up, and no more than it gives. What is not asked for is the service's to choose. */
export function resourcesOf(limits: Limits, { maxCpu, maxMemory, maxDisk }: Settings): Resources {
  const whole = (value: number, max: number): number => Math.max(1, Math.min(max, Math.ceil(value)));
  const { cpuCores, memoryBytes, diskBytes } = limits;
  return {
    ...(cpuCores === null ? {} : { cpu: whole(cpuCores, maxCpu) }),
    ...(memoryBytes === null ? {} : { memory: whole(memoryBytes / gibibyte, maxMemory) }),
    ...(diskBytes === null ? {} : { disk: whole(diskBytes / gibibyte, maxDisk) }),
  };
}
