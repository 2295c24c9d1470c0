/** Control groups of a sandbox, where this machine lets us make some (cgroups(7)). */
import { access, constants, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const controllers = ['memory', 'cpu'] as const;
type Controller = (typeof controllers)[number];

const groupsName = 'caisson-emulator-daytona';
const gibibyte = 2 ** 30;
const periodMicros = 100_000;
const removePausesMs = [5, 20, 50, 100, 200, 400];

export interface Size {
  /** Cores. */
  readonly cpu: number;
  /** GiB. */
  readonly memory: number;
}

/** Mount points, by controller. In version 2 it is one for all. */
export interface Groups {
  readonly version: 1 | 2;
  readonly at: Readonly<Record<Controller, string>>;
}

/** What a sandbox needs to be held by its groups. */
export interface GroupFiles {
  /** Writing its own pid there places a process. */
  readonly files: readonly string[];
  /** `NAME=DIRECTORY` to be shown inside. */
  readonly shown: readonly string[];
  remove(): Promise<void>;
}

/** `null`: limits are not held here. */
export async function findGroups(): Promise<Groups | null> {
  try {
    const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map(mountOf);
    const [memory, cpu] = controllers.map(
      (name) => mounts.find(({ type, options }) => type === 'cgroup' && options.includes(name))?.point,
    );
    const unified = mounts.find(({ type }) => type === 'cgroup2')?.point;
    const found: Groups | null =
      memory !== undefined && cpu !== undefined
        ? { version: 1, at: { memory, cpu } }
        : unified === undefined
          ? null
          : { version: 2, at: { memory: unified, cpu: unified } };
    for (const root of new Set(Object.values(found?.at ?? {}))) await access(root, constants.W_OK);
    return found;
  } catch {
    return null; // Not ours to write: limits are not held, and said so.
  }
}

/** proc_pid_mountinfo(5): `... MOUNT-POINT ... - TYPE SOURCE SUPER-OPTIONS`. */
function mountOf(line: string): { readonly type: string; readonly point: string; readonly options: readonly string[] } {
  const [left = '', right = ''] = line.split(' - ');
  const [type = '', , options = ''] = right.split(' ');
  return { type, point: left.split(' ')[4] ?? '', options: options.split(',') };
}

export async function hold(groups: Groups, id: string, size: Size): Promise<GroupFiles> {
  const { version, at } = groups;
  const path = (controller: Controller): string => join(at[controller], groupsName, id);
  const directories = [...new Set(controllers.map(path))];
  if (version === 2) {
    await mkdir(join(at.memory, groupsName), { recursive: true });
    for (const group of [at.memory, join(at.memory, groupsName)])
      await writeFile(join(group, 'cgroup.subtree_control'), '+memory +cpu');
  }
  for (const directory of directories) await mkdir(directory, { recursive: true });
  for (const [controller, file, value] of settings(version, size)) await writeFile(join(path(controller), file), value);
  return {
    files: directories.map((directory) => join(directory, 'cgroup.procs')),
    shown: version === 2 ? [`=${path('memory')}`] : controllers.map((name) => `${name}=${path(name)}`),
    remove: async () => {
      for (const directory of directories) await removeGroup(directory);
    },
  };
}

function settings(version: 1 | 2, { cpu, memory }: Size): readonly (readonly [Controller, string, string])[] {
  const quota = String(cpu * periodMicros);
  const bytes = String(memory * gibibyte);
  if (version === 2)
    return [
      ['memory', 'memory.max', bytes],
      ['cpu', 'cpu.max', `${quota} ${periodMicros}`],
    ];
  return [
    ['memory', 'memory.limit_in_bytes', bytes],
    ['cpu', 'cpu.cfs_period_us', String(periodMicros)],
    ['cpu', 'cpu.cfs_quota_us', quota],
  ];
}

/** The last processes leave it a moment after they have ended. */
async function removeGroup(directory: string): Promise<void> {
  for (const pauseMs of removePausesMs) {
    try {
      await rmdir(directory);
      return;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
      await sleep(pauseMs);
    }
  }
}
