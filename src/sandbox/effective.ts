/**
 * What a sandbox measured about itself, parsed. The text comes from inside and is hostile: every number is checked, every
 * list bounded, and what does not parse is `null`, never a guess.
 */
import type { NetworkTables } from '../backend.ts';

export interface EffectiveMount {
  readonly target: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** A type, not an interface: it is stored as plain JSON. */
export type Effective = {
  readonly uid: number | null;
  /** Hexadecimal masks of capabilities(7), 16 digits. */
  readonly capabilities: Readonly<
    Record<'inheritable' | 'permitted' | 'effective' | 'bounding' | 'ambient', string | null>
  >;
  readonly noNewPrivileges: boolean | null;
  readonly seccomp: 'disabled' | 'strict' | 'filter' | null;
  /** Bytes, processes, cores; `null`: no limit, or a limit that could not be read (then `readable` is false). */
  readonly limits: {
    readonly memoryBytes: number | null;
    readonly swapBytes: number | null;
    readonly pids: number | null;
    readonly cpuCores: number | null;
    readonly readable: boolean;
  };
  readonly openFiles: string | null;
  readonly coreBytes: string | null;
  readonly readOnlyRoot: boolean | null;
  /** tmpfs and bind mounts; the kernel's own (proc, sysfs, cgroup, devices) are left out. */
  readonly mounts: readonly EffectiveMount[];
  /** Network interfaces beside loopback. */
  readonly interfaces: readonly string[];
  /** Whether there is a route by another interface than loopback. `null`: it could not be read. */
  readonly routed: boolean | null;
  /**
   * kernel.yama.ptrace_scope: from 1 on no process of the sandbox writes the memory of another that is not its child. `null`: the
   * kernel has no Yama, and each can write that of all others of its user.
   */
  readonly ptraceScope: number | null;
};

const longestText = 256 * 1024;
const maxEntries = 64;

/** `null` when the text is not a whole probe. */
export function parseEffective(text: string): Effective | null {
  const parts = sections(text.slice(0, longestText));
  if (!parts.has('caisson probe') || !parts.has('end')) return null;
  const mounts = (parts.get('mounts') ?? '').split('\n').flatMap(parseMount);
  return {
    uid: count(fields(parts.get('caisson probe') ?? '', '=').get('uid')),
    ...parseControls(parts.get('status') ?? ''),
    limits: parseLimits(parts.get('cgroup') ?? ''),
    openFiles: limitLine(parts.get('limits') ?? '', 'Max open files'),
    coreBytes: limitLine(parts.get('limits') ?? '', 'Max core file size'),
    readOnlyRoot: mounts.find((mount) => mount.target === '/')?.options.includes('ro') ?? null,
    mounts: mounts
      .filter((mount) => mount.target !== '/' && !kernelTypes.has(mount.type) && !kernelPaths.test(mount.target))
      .slice(0, maxEntries),
    ...parseNetwork({
      devices: parts.get('network') ?? '',
      routes: parts.get('routes') ?? '',
      routes6: parts.get('routes6') ?? '',
    }),
    ptraceScope: count(fields(parts.get('kernel') ?? '', '=').get('ptrace_scope')),
  };
}

/** `text`: of a process, as proc_pid_status(5) has it. */
export function parseControls(text: string): Pick<Effective, 'capabilities' | 'noNewPrivileges' | 'seccomp'> {
  const status = fields(text, ':');
  return {
    capabilities: {
      inheritable: mask(status.get('CapInh')),
      permitted: mask(status.get('CapPrm')),
      effective: mask(status.get('CapEff')),
      bounding: mask(status.get('CapBnd')),
      ambient: mask(status.get('CapAmb')),
    },
    noNewPrivileges: flag(status.get('NoNewPrivs')),
    seccomp: seccompModes[status.get('Seccomp') ?? ''] ?? null,
  };
}

export function parseNetwork(tables: NetworkTables): Pick<Effective, 'interfaces' | 'routed'> {
  return { interfaces: parseInterfaces(tables.devices), routed: routedBy(tables.routes, tables.routes6) };
}

const seccompModes: Readonly<Record<string, 'disabled' | 'strict' | 'filter'>> = {
  0: 'disabled',
  1: 'strict',
  2: 'filter',
};
const kernelTypes = new Set(['proc', 'sysfs', 'cgroup', 'cgroup2', 'devpts', 'mqueue']);
const kernelPaths = /^\/(proc|sys)(\/|$)|^\/dev$/;

function sections(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of text.split(/^== /m).slice(1)) {
    const end = part.indexOf('\n');
    found.set(end < 0 ? part : part.slice(0, end), end < 0 ? '' : part.slice(end + 1));
  }
  return found;
}

function fields(text: string, separator: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf(separator);
    if (at > 0) found.set(line.slice(0, at), line.slice(at + 1).trim());
  }
  return found;
}

function mask(text: string | undefined): string | null {
  return text !== undefined && /^[0-9a-f]{16}$/.test(text) ? text : null;
}

function flag(text: string | undefined): boolean | null {
  if (text === undefined) return null;
  return text === '1' ? true : text === '0' ? false : null;
}

function count(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The tightest limit of all cgroups around the sandbox is the one that holds. `null`: no cgroup has a limit. */
function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** cgroup v1 says "no limit" by a page-aligned number near 2^63, v2 by the word `max`. */
function bounded(text: string): number | null {
  if (!/^\d{1,20}$/.test(text)) return null;
  const value = Number(text);
  return value < 2 ** 60 ? value : null;
}

function parseLimits(text: string): Effective['limits'] {
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value: value.trim() }];
  });
  const all = (wanted: string): readonly string[] =>
    lines.flatMap(({ name, value }) => (name === wanted ? [value] : []));
  const [memoryBytes, together] = [least(all('memory').map(bounded)), least(all('memsw').map(bounded))];
  const beside = together === null || memoryBytes === null ? null : Math.max(0, together - memoryBytes);
  return {
    memoryBytes,
    swapBytes: all('memsw').length > 0 ? beside : least(all('swap').map(bounded)),
    pids: least(all('pids').map(bounded)),
    cpuCores: least(all('cpu').map(parseCores)),
    readable: lines.length > 0,
  };
}

/** `QUOTA PERIOD` in microseconds; `max` and -1 mean no quota. */
function parseCores(text: string): number | null {
  const [quota, period] = text.split(' ');
  const cores = Number(quota) / Number(period);
  return Number.isFinite(cores) && cores > 0 ? Math.round(cores * 1000) / 1000 : null;
}

/** `Max open files   4096   8192   files` -> `4096:8192`. */
function limitLine(text: string, name: string): string | null {
  const line = text.split('\n').find((candidate) => candidate.startsWith(name));
  const values = line?.slice(name.length).trim().split(/\s+/) ?? [];
  return values.length >= 2 ? `${values[0]}:${values[1]}` : null;
}

/** proc(5): id parent major:minor root target options [optional...] - type source super-options */
function parseMount(line: string): readonly EffectiveMount[] {
  const [left, right] = line.split(' - ');
  const [, , , , target, options] = left?.split(' ') ?? [];
  const [type, , superOptions] = right?.split(' ') ?? [];
  if (target === undefined || options === undefined || type === undefined) return [];
  const all = new Set([...options.split(','), ...(type === 'tmpfs' ? (superOptions ?? '').split(',') : [])]);
  if (options.split(',').includes('ro')) all.delete('rw');
  return [{ target, type, options: [...all].slice(0, maxEntries) }];
}

function parseInterfaces(text: string): readonly string[] {
  const names = text.split('\n').flatMap((line) => /^\s*([A-Za-z0-9_.@-]{1,32}):/.exec(line)?.[1] ?? []);
  return names.filter((name) => name !== 'lo').slice(0, maxEntries);
}

/** proc_net(5): the interface is the first word of a line under a header, and for IPv6 the last one without a header. */
function routedBy(v4: string, v6: string): boolean | null {
  if (!v4.startsWith('Iface')) return null;
  const first = v4
    .split('\n')
    .slice(1)
    .flatMap((line) => line.trim().split(/\s+/)[0] ?? []);
  const last = v6.split('\n').flatMap((line) => line.trim().split(/\s+/).at(-1) ?? []);
  return [...first, ...last].some((name) => name !== '' && name !== 'lo');
}
