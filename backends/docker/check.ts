/** How the engine is, for `doctor`: facts, known holes, and what to do about an absent one. */
import type { Check, Finding } from '../../src/backend.ts';
import { isCode, toCaissonError } from '../../src/errors.ts';
import { type Facts, isPodman } from './engine/facts.ts';
import { versionFindings } from './engine/floors.ts';

export function checkFromFacts(facts: Facts): Check {
  const findings = [...versionFindings(versionsOf(facts)), ...postureFindings(facts)];
  return {
    status: 'ready',
    summary: `${facts.platform ?? facts.operatingSystem ?? 'an engine'}, version ${facts.engineVersion ?? 'unknown'}, storage driver ${facts.storageDriver ?? 'unknown'}`,
    remedy: null,
    facts: toPlain(facts),
    findings,
  };
}

/** Nothing at the socket is `missing`; something there that does not let us in, or does not answer, is `unhealthy`. */
export function toFailedCheck(error: unknown): Check {
  const fault = toCaissonError(error);
  const missing = isCode(fault, 'unavailable') && fault.details['system'] === 'ENOENT';
  return {
    status: missing ? 'missing' : 'unhealthy',
    summary: fault.message,
    remedy: fault.remedy ?? 'look at the log of the engine',
    facts: {},
    findings: [],
  };
}

function versionsOf(facts: Facts) {
  const desktop = /^Docker Desktop (\S+)/.exec(facts.platform ?? '')?.[1] ?? null;
  const isDocker = !isPodman(facts);
  const runc = facts.components['runc'] ?? (facts.defaultRuntime === 'runc' && isDocker ? 'unknown' : null);
  return { engine: isDocker ? facts.engineVersion : null, runc, desktop };
}

function postureFindings(facts: Facts): readonly Finding[] {
  const found: Finding[] = [];
  const add = (when: boolean, finding: Finding): void => {
    if (when) found.push(finding);
  };
  add(facts.seccomp === 'none' || facts.seccomp === 'unconfined', {
    severity: 'error',
    id: 'seccomp-off',
    message:
      facts.seccomp === 'none'
        ? 'the engine has no seccomp'
        : 'the engine runs containers without a seccomp profile unless one is given',
    remedy: 'use a kernel and an engine with seccomp, and no seccomp-profile=unconfined in daemon.json',
  });
  add(!facts.limits.swap, {
    severity: 'warning',
    id: 'swap-unlimited',
    message: 'the kernel does not account swap, so a memory limit can be passed by swapping',
    remedy: 'boot with swapaccount=1, use cgroup v2, or turn swap off',
  });
  add(facts.cgroupVersion === 1, {
    severity: 'warning',
    id: 'cgroup-v1',
    message: 'the engine uses version 1 of cgroups',
    remedy: 'boot with systemd.unified_cgroup_hierarchy=1',
  });
  // Removing a limited subvolume marks all quota groups inconsistent (btrfs-quota(5)); no engine asks for a new count.
  add(facts.storageDriver === 'btrfs', {
    severity: 'warning',
    id: 'btrfs-quota-lapses',
    message: 'btrfs may stop counting when a limited container is removed, and then holds no disk limit',
    remedy:
      'run `btrfs quota rescan` on the data root of the engine, regularly; overlay2 on xfs with pquota has no such gap',
  });
  return found;
}

function toPlain(facts: Facts): Check['facts'] {
  return {
    id: facts.id,
    version: facts.engineVersion,
    api: facts.apiVersion,
    platform: facts.platform,
    operatingSystem: facts.operatingSystem,
    kernel: facts.kernel,
    architecture: facts.architecture,
    runc: facts.components['runc'] ?? null,
    containerd: facts.components['containerd'] ?? null,
    init: facts.components['docker-init'] ?? null,
    storageDriver: facts.storageDriver,
    backingFilesystem: facts.backingFilesystem,
    cgroupVersion: facts.cgroupVersion,
    runtimes: facts.runtimes.join(' '),
    defaultRuntime: facts.defaultRuntime,
    seccomp: facts.seccomp,
    apparmor: facts.apparmor,
    selinux: facts.selinux,
    rootless: facts.rootless,
    userNamespace: facts.userNamespace,
    cpus: facts.cpus,
    memoryBytes: facts.memoryBytes,
  };
}
