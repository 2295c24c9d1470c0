/**
 * Usage of a container, as the kernel of this host counts it (cgroups(7), proc_pid_cgroup(5)): a few small files instead of a
 * request to the engine, which takes hundreds of times as long.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Stats } from '../../../src/backend.ts';

const groups = '/sys/fs/cgroup';
/** Version 1 has no limit as a number near 2^63. */
const unlimited = 2 ** 60;

export interface ContainerPlace {
  /** Pid of its first process on this host. */
  readonly pid: number;
  /** Id of the container, which the engine puts into the names of its control groups. */
  readonly container: string;
  /** Another root than that of this host, for tests. */
  readonly root?: string;
}

/** `null`: its control groups cannot be seen from here, or the number is another process's by now. */
export function kernelStats({ pid, container, root = '' }: ContainerPlace): Stats | null {
  const read = (path: string): string => textOf(`${root}${path}`);
  const paths = groupPaths(read(`/proc/${pid}/cgroup`), container);
  if (paths === null) return null;
  const unified = existsSync(`${root}${groups}/cgroup.controllers`);
  const file = (controller: string, name: string): string =>
    read(
      `${unified ? `${groups}${paths.get('') ?? ''}` : `${groups}/${controller}${paths.get(controller) ?? ''}`}/${name}`,
    );
  const figures = unified ? unifiedFigures(file) : separateFigures(file);
  return figures.memoryBytes === null ? null : { ...figures, ...networkOf(read(`/proc/${pid}/net/dev`)) };
}

type File = (controller: string, name: string) => string;
type Figures = Omit<Stats, 'networkReceivedBytes' | 'networkSentBytes'>;

function unifiedFigures(file: File): Figures {
  const micros = /^usage_usec (\d{1,16})$/m.exec(file('cpu', 'cpu.stat'))?.[1];
  return {
    cpuNanos: micros === undefined ? null : Number(micros) * 1000,
    memoryBytes: withoutCache(file('memory', 'memory.current'), file('memory', 'memory.stat'), 'inactive_file'),
    memoryLimitBytes: limit(file('memory', 'memory.max')),
    pids: count(file('pids', 'pids.current')),
    pidsLimit: limit(file('pids', 'pids.max')),
  };
}

function separateFigures(file: File): Figures {
  return {
    cpuNanos: count(file('cpuacct', 'cpuacct.usage')),
    memoryBytes: withoutCache(
      file('memory', 'memory.usage_in_bytes'),
      file('memory', 'memory.stat'),
      'total_inactive_file',
    ),
    memoryLimitBytes: limit(file('memory', 'memory.limit_in_bytes')),
    pids: count(file('pids', 'pids.current')),
    pidsLimit: limit(file('pids', 'pids.max')),
  };
}

/** Paths of controllers; in version 2 one, under the empty name. Above the root of our own namespace nothing can be read (cgroup_namespaces(7)). */
function groupPaths(text: string, container: string): ReadonlyMap<string, string> | null {
  if (!text.includes(container)) return null;
  const paths = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, names = '', path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path.split('/').includes('..')) return null;
    for (const name of names.split(',')) if (path.includes(container)) paths.set(name, path);
  }
  return paths;
}

/** Without the page cache that the kernel would give back, as the engine counts. */
function withoutCache(usage: string, details: string, name: string): number | null {
  const used = count(usage);
  const cache = Number(new RegExp(`^${name} (\\d{1,16})$`, 'm').exec(details)?.[1] ?? 0);
  return used === null ? null : cache < used ? used - cache : used;
}

/** proc_pid_net(5): the name of the interface, then what it has received and sent. */
function networkOf(text: string): Pick<Stats, 'networkReceivedBytes' | 'networkSentBytes'> {
  const found = [...text.matchAll(/^ *([^\s:]+): *(\d+)(?: +\d+){7} +(\d+)/gm)].filter(([, name]) => name !== 'lo');
  if (found.length === 0) return { networkReceivedBytes: null, networkSentBytes: null };
  const sum = (at: 2 | 3): number => found.reduce((all, each) => all + Number(each[at]), 0);
  return { networkReceivedBytes: sum(2), networkSentBytes: sum(3) };
}

function count(text: string): number | null {
  return /^\d{1,19}\s*$/.test(text) ? Number(text) : null;
}

function limit(text: string): number | null {
  const value = count(text);
  return value === null || value >= unlimited ? null : value;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
