/** What a container is created with. Pure: the same spec and facts give the same body. */
import type { CreateOptions, Mount, Spec } from '../../../src/backend.ts';
import type { Facts } from '../engine/facts.ts';
import { doorLabel, doorName, toEngineLabels } from './labels.ts';
import { seccompProfile, toArchitecture } from '../../shared/seccomp.ts';
import { clearedVariables, filteredVariables } from './variables.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

export interface Plan {
  readonly spec: Spec;
  readonly options: Pick<CreateOptions, 'name' | 'labels' | 'init' | 'directory' | 'credentials' | 'refuseSetid'>;
  readonly facts: Facts;
  /** Name of the network that `open` means here. */
  readonly network: string | null;
  /** Whether the storage driver holds a container to a size. */
  readonly diskLimit: boolean;
  /** Who runs Caisson, for `user: 'host'`. */
  readonly hostUser: { readonly uid: number; readonly gid: number };
}

export function containerBody(plan: Plan) {
  const { spec, options } = plan;
  return {
    Image: spec.image,
    Entrypoint: [],
    Cmd: options.init,
    // Names without a value take a variable of the image away.
    Env: spec.network === 'filtered' ? filteredVariables : clearedVariables,
    User: userOf(plan),
    WorkingDir: spec.cwd,
    Hostname: 'sandbox',
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    // Stays open when Caisson goes away, so that the first process does not end for that reason.
    OpenStdin: true,
    StdinOnce: false,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    StopSignal: 'SIGKILL',
    StopTimeout: 0,
    Labels: {
      ...toEngineLabels(options.labels),
      ...(spec.network === 'filtered' ? { [doorLabel]: doorName(options.name) } : {}),
    },
    HostConfig: hostConfig(plan),
  };
}

function hostConfig(plan: Plan) {
  return {
    ...limits(plan),
    ...security(plan),
    ...storage(plan),
    // The first process is core's guardian, which reaps; the engine's own init would end the container on `kill -9 -1`.
    Init: false,
    NetworkMode: plan.spec.network === 'open' ? plan.network : 'none',
    IpcMode: 'private',
    CgroupnsMode: 'private',
    RestartPolicy: { Name: 'no' },
    AutoRemove: false,
    PublishAllPorts: false,
    LogConfig: logConfig(plan.facts),
  };
}

function limits({ spec, facts, diskLimit }: Plan) {
  const { cpuCores, memoryBytes, pids, diskBytes } = spec.limits;
  return {
    ...(cpuCores === null ? {} : { NanoCpus: nanoCpus(cpuCores, facts.cpus) }),
    // Equal values leave no swap. Version 2 of cgroups has no swappiness, and some engines refuse it there.
    ...(memoryBytes === null ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
    ...(memoryBytes === null || facts.cgroupVersion !== 1 ? {} : { MemorySwappiness: 0 }),
    ...(pids === null ? {} : { PidsLimit: pids }),
    ...(diskBytes === null || !diskLimit ? {} : { StorageOpt: { size: String(diskBytes) } }),
    ...(spec.hardening.shmBytes === null ? {} : { ShmSize: spec.hardening.shmBytes }),
    // Not more: an engine without CAP_SYS_RESOURCE cannot give a container more than it has itself.
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'nofile', Soft: 4096, Hard: 8192 },
    ],
    // Under pressure the host ends sandboxes before its own services.
    OomScoreAdj: 500,
  };
}

/** The engine refuses more cores than there are, which would be no limit anyway, and less than a hundredth. */
function nanoCpus(cores: number, available: number | null): number {
  return Math.round(Math.max(0.01, Math.min(cores, available ?? cores)) * 1e9);
}

function security({ spec, facts, options }: Plan) {
  const architecture = toArchitecture(facts.architecture);
  const builtin = spec.hardening.seccomp === 'builtin' && architecture !== null;
  const refuseSetid = options.refuseSetid === true;
  return {
    Privileged: false,
    CapDrop: ['ALL'],
    CapAdd: spec.hardening.user === 'root' ? ['DAC_OVERRIDE', 'CHOWN', 'FOWNER'] : [],
    SecurityOpt: [
      'no-new-privileges',
      ...(builtin ? [`seccomp=${seccompProfile(architecture, { refuseSetid })}`] : []),
    ],
    ReadonlyRootfs: spec.hardening.readOnlyRoot,
    ...(spec.hardening.runtime === null ? {} : { Runtime: spec.hardening.runtime }),
  };
}

/** In the form in which the engine gives it back. */
export const rootUser = '0:0';

function userOf({ spec, hostUser }: Plan): string {
  return spec.hardening.user === 'root' ? rootUser : `${hostUser.uid}:${hostUser.gid}`;
}

function storage(plan: Plan) {
  const { spec, options } = plan;
  const asked = new Set(spec.mounts.map((mount) => mount.target));
  const own =
    options.directory === null ? [] : taskMounts(options.directory).filter((mount) => !asked.has(mount.target));
  const tmpfs = { ...fixedTmpfs, ...(options.directory === null && !spec.persistent ? ephemeralTmpfs(plan) : {}) };
  return {
    Mounts: [...own, ...spec.mounts, ...(options.credentials === null ? [] : [options.credentials])].map(toEngineMount),
    Tmpfs: Object.fromEntries(Object.entries(tmpfs).filter(([target]) => !asked.has(target))),
  };
}

/** The engine adds nosuid, nodev and noexec by itself, so that exec has to be asked for. */
const fixedTmpfs: Readonly<Record<string, string>> = {
  '/tmp': 'rw,exec,nosuid,nodev,size=512m',
  '/var/tmp': 'rw,noexec,nosuid,nodev,size=256m',
  '/run': 'rw,noexec,nosuid,nodev,size=64m',
};

/** Both directories that a persistent sandbox keeps, in memory. */
function ephemeralTmpfs(plan: Plan): Record<string, string> {
  const size = ephemeralBytes(plan);
  const owner = plan.spec.hardening.user === 'root' ? '' : `,uid=${plan.hostUser.uid},gid=${plan.hostUser.gid}`;
  const flags = `rw,exec,nosuid,nodev,size=${size}${owner}`;
  return { '/workspace': `${flags},mode=0755`, '/root': `${flags},mode=0700` };
}

/** The disk limit, but never more than half of the memory, of which it is a part. */
function ephemeralBytes({ spec, facts }: Plan): number {
  const { diskBytes, memoryBytes } = spec.limits;
  const bound =
    memoryBytes === null ? Math.floor((facts.memoryBytes ?? 4 * gibibyte) / 4) : Math.floor(memoryBytes / 2);
  return Math.max(mebibyte, Math.min(diskBytes ?? gibibyte, bound));
}

/** Both live under the task's directory, which only the owner of Caisson may enter. */
export function taskMounts(directory: string): readonly Mount[] {
  return ['workspace', 'root'].map((name) => ({ source: `${directory}/${name}`, target: `/${name}`, readOnly: false }));
}

/** An object, so that no path is ever split at a colon. */
function toEngineMount(mount: Mount) {
  // Engines before 25 leave what is mounted below a read-only bind writable; without it nothing is there.
  const options = mount.readOnly ? { Propagation: 'private', NonRecursive: true } : { Propagation: 'private' };
  return { Type: 'bind', Source: mount.source, Target: mount.target, ReadOnly: mount.readOnly, BindOptions: options };
}

/** The first process may print for ever; its output is read from the attached streams, not from the log. */
function logConfig(facts: Facts) {
  const bounds = { 'max-size': '1m', 'max-file': '1' };
  return facts.logDrivers.includes('local')
    ? { Type: 'local', Config: { ...bounds, compress: 'false' } }
    : { Type: 'json-file', Config: bounds };
}
