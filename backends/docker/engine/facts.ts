/** What the engine says about itself, from `GET /info` and `GET /version`. */
import { flag, list, number, object, strings, text, type Json } from './json.ts';
import type { Request } from './rest.ts';

export interface Facts {
  readonly id: string | null;
  readonly engineVersion: string | null;
  readonly apiVersion: string | null;
  /** Versions by component name in lower case: `runc`, `containerd`, `docker-init`. */
  readonly components: Readonly<Record<string, string>>;
  /** "Docker Desktop 4.44.3 (202017)", "Docker Engine - Community", or nothing. */
  readonly platform: string | null;
  readonly operatingSystem: string | null;
  readonly kernel: string | null;
  readonly architecture: string | null;
  readonly storageDriver: string | null;
  readonly backingFilesystem: string | null;
  readonly cgroupVersion: number | null;
  readonly runtimes: readonly string[];
  readonly defaultRuntime: string | null;
  readonly logDrivers: readonly string[];
  readonly cpus: number | null;
  readonly memoryBytes: number | null;
  readonly limits: { readonly cpu: boolean; readonly memory: boolean; readonly swap: boolean; readonly pids: boolean };
  readonly seccomp: 'default' | 'unconfined' | 'custom' | 'none';
  readonly apparmor: boolean;
  readonly selinux: boolean;
  readonly rootless: boolean;
  readonly userNamespace: boolean;
}

export type Ask = (request: Request) => Promise<unknown>;

/** The bodies of `GET /info` and `GET /version`. */
export interface Answers {
  readonly info: Json;
  readonly version: Json;
}

export async function readAnswers(ask: Ask): Promise<Answers> {
  const what = 'read the facts of the engine';
  const [info, version] = await Promise.all([
    ask({ what, method: 'GET', path: '/info' }),
    ask({ what, method: 'GET', path: '/version' }),
  ]);
  return { info: object(info), version: object(version) };
}

export async function readFacts(ask: Ask, { info, version }: Answers): Promise<Facts> {
  const facts = toFacts(info, version);
  if (!isPodman(facts) || facts.cgroupVersion !== 2) return facts;
  const what = 'read the facts of the engine';
  // What it tells clients of Docker about limits is of version 1 of cgroups only.
  const own = object(await ask({ what, method: 'GET', path: '/v3.0.0/libpod/info' }));
  return { ...facts, limits: limitsOf(strings(object(own['host'])['cgroupControllers'])) };
}

export function isPodman({ components }: Pick<Facts, 'components'>): boolean {
  return components['podman engine'] !== undefined;
}

/** Limits that version 2 of cgroups can set: swap is the memory controller's. */
function limitsOf(controllers: readonly string[]): Facts['limits'] {
  const memory = controllers.includes('memory');
  return { cpu: controllers.includes('cpu'), memory, swap: memory, pids: controllers.includes('pids') };
}

export function toFacts(info: Json, version: Json): Facts {
  const security = strings(info['SecurityOptions']);
  return {
    ...identity(info, version),
    storageDriver: text(info['Driver']),
    backingFilesystem: driverStatus(info, 'Backing Filesystem'),
    cgroupVersion: info['CgroupVersion'] === '2' ? 2 : info['CgroupVersion'] === '1' ? 1 : null,
    runtimes: Object.keys(object(info['Runtimes'])),
    defaultRuntime: text(info['DefaultRuntime']),
    logDrivers: strings(object(info['Plugins'])['Log']),
    cpus: number(info['NCPU']),
    memoryBytes: number(info['MemTotal']),
    limits: {
      cpu: flag(info['CpuCfsQuota']) && flag(info['CpuCfsPeriod']),
      memory: flag(info['MemoryLimit']),
      swap: flag(info['SwapLimit']),
      pids: flag(info['PidsLimit']),
    },
    seccomp: seccompState(security),
    apparmor: hasOption(security, 'apparmor'),
    selinux: hasOption(security, 'selinux'),
    rootless: hasOption(security, 'rootless'),
    userNamespace: hasOption(security, 'userns'),
  };
}

function identity(info: Json, version: Json) {
  const parts = components(version);
  return {
    // Podman makes one up for each answer.
    id: isPodman({ components: parts }) ? null : text(info['ID']),
    engineVersion: text(info['ServerVersion']) ?? text(version['Version']),
    apiVersion: text(version['ApiVersion']),
    components: parts,
    platform: text(object(version['Platform'])['Name']),
    operatingSystem: text(info['OperatingSystem']),
    kernel: text(info['KernelVersion']),
    architecture: text(info['Architecture']),
  };
}

function components(version: Json): Record<string, string> {
  const found: Record<string, string> = {};
  for (const item of list(version['Components'])) {
    const name = text(object(item)['Name']);
    const value = text(object(item)['Version']);
    if (name !== null && value !== null) found[name.toLowerCase()] = value;
  }
  return found;
}

/** Pairs of name and value, as the storage driver prints them. */
function driverStatus(info: Json, name: string): string | null {
  for (const pair of list(info['DriverStatus'])) {
    const [key, value] = strings(pair);
    if (key === name) return value ?? null;
  }
  return null;
}

/** Entries look like `name=seccomp,profile=default`; moby calls its own list `default` or `builtin`. */
function seccompState(security: readonly string[]): Facts['seccomp'] {
  const entry = security.find((option) => option.split(',').includes('name=seccomp'));
  if (entry === undefined) return 'none';
  const profile = /(?:^|,)profile=([^,]*)/.exec(entry)?.[1] ?? 'default';
  if (profile === 'unconfined') return 'unconfined';
  return profile === 'default' || profile === 'builtin' ? 'default' : 'custom';
}

function hasOption(security: readonly string[], name: string): boolean {
  return security.some((option) => option.split(',').includes(`name=${name}`));
}
