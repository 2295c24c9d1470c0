/** What holds for every sandbox on this engine. Pure. */
import type { Enforcement, Guarantees } from '../../src/backend.ts';
import { type Facts, isPodman } from './engine/facts.ts';
import { toArchitecture } from '../shared/seccomp.ts';

export interface EnginePlace {
  /** What was found out about sizes of containers. */
  readonly disk: Enforcement;
  /** Whether directories of this host can be bound. */
  readonly local: boolean;
  readonly hostUser: boolean;
  /** Whether addresses can be refused to a sandbox. */
  readonly refusals: Enforcement;
  /** Whether a socket of this host can be carried to the loopback of a sandbox. */
  readonly door: boolean;
}

/** About commands that run as another user of the sandbox than root. */
const usersUnheld: readonly string[] = [
  'a name is looked up in /etc/passwd of the sandbox, which commands of root in it can change',
  'root of the sandbox reads and changes all files of its users, and not the other way round',
  '/workspace and /root belong to root: another user reads /workspace, and needs rights that a command gave to write there',
  'processes of one user see each other, whichever command started them',
];

/** What of the facts it is about. */
export type EngineFacts = Pick<
  Facts,
  | 'architecture'
  | 'cgroupVersion'
  | 'components'
  | 'defaultRuntime'
  | 'limits'
  | 'rootless'
  | 'runtimes'
  | 'seccomp'
  | 'userNamespace'
>;

/** Runtimes that hand the filter to the kernel; `null` is the engine's own, which is runc. */
const filters: ReadonlySet<string | null> = new Set([null, 'runc', 'crun', 'io.containerd.runc.v2']);

export function toGuarantees(facts: EngineFacts, place: EnginePlace): Guarantees {
  // Podman takes a profile by the path of a file on its own host only.
  const seccomp = facts.seccomp !== 'none' && toArchitecture(facts.architecture) !== null && !isPodman(facts);
  const cgroups = facts.cgroupVersion === null ? 'cgroups' : `cgroup v${facts.cgroupVersion}`;
  return {
    isolation: 'container',
    apart: true,
    registryLogins: true,
    limits: {
      cpuCores: enforced(
        facts.limits.cpu,
        `${cgroups} cpu quota`,
        'the kernel of the engine has no cpu quota, or the engine may not use it',
      ),
      memoryBytes: memory(facts, cgroups),
      pids: enforced(
        facts.limits.pids,
        `${cgroups} pids`,
        'the kernel of the engine has no limit on processes, or the engine may not use it',
      ),
      diskBytes: place.disk,
    },
    network: place.door ? ['open', 'filtered', 'none'] : ['open', 'none'],
    refusals: { ...place.refusals, runtimes: ['runc', 'crun'] },
    persistence: place.local ? 'directory' : 'place',
    ephemeral: true,
    survivesRestart: true,
    kill: 'process',
    users: { unheld: usersUnheld },
    mounts: place.local ? 'read-write' : 'none',
    // User namespaces make root inside an unknown user here, who could not read what only this user may read.
    credentials: place.local && !facts.userNamespace ? 'bind' : 'copy',
    hardening: {
      readOnlyRoot: true,
      seccomp,
      setid: { refused: seccomp && filters.has(facts.defaultRuntime), runtimes: ['runc', 'crun'] },
      runtimes: facts.runtimes,
      shm: true,
      // User namespaces give the container ids that differ from the host's.
      hostUser: place.hostUser && place.local && !facts.rootless && !facts.userNamespace,
    },
  };
}

function memory(facts: EngineFacts, cgroups: string): Enforcement {
  if (!facts.limits.memory)
    return { enforced: false, reason: 'the kernel of the engine has no memory limit, or the engine may not use it' };
  return enforced(
    facts.limits.swap,
    `${cgroups} memory and swap`,
    'memory is limited, but swap is not: the kernel runs without swap accounting (swapaccount=1)',
  );
}

function enforced(holds: boolean, by: string, reason: string): Enforcement {
  return holds ? { enforced: true, by } : { enforced: false, reason };
}
