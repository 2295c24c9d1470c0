/** Control groups (cgroups(7)) of sandboxes, where this host lets them be made. */
import { access, constants, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const groups = 'caisson-emulator';
const periodMicros = 100_000;

export interface GroupLimits {
  readonly milliCores: number;
  readonly memoryMib: number;
}

interface Hierarchy {
  readonly version: 1 | 2;
  readonly memory: string;
  readonly cpu: string;
}

/** Directories of one sandbox. */
export interface Group {
  readonly directories: readonly string[];
}

export class Limits {
  readonly #hierarchy: Hierarchy | null;

  private constructor(hierarchy: Hierarchy | null) {
    this.#hierarchy = hierarchy;
  }

  static async find(): Promise<Limits> {
    const mounts = parseMounts(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''));
    return new Limits(mounts !== null && (await isWritable(mounts)) ? mounts : null);
  }

  /** Whether what was asked for is held. */
  get held(): boolean {
    return this.#hierarchy !== null;
  }

  async make(id: string, { milliCores, memoryMib }: GroupLimits): Promise<Group> {
    const hierarchy = this.#hierarchy;
    if (hierarchy === null) return { directories: [] };
    const [memory, cpu] = [hierarchy.memory, hierarchy.cpu].map((root) => join(root, groups, id));
    if (memory === undefined || cpu === undefined) return { directories: [] };
    const directories = [...new Set([memory, cpu])];
    if (hierarchy.version === 2) await handDown(hierarchy.memory);
    for (const directory of directories) await mkdir(directory, { recursive: true });
    if (milliCores > 0) await limitCpu(hierarchy.version, cpu, Math.round((milliCores / 1000) * periodMicros));
    if (memoryMib > 0) await limitMemory(hierarchy.version, memory, memoryMib * 1024 * 1024);
    return { directories };
  }
}

/** Its last processes leave a group a moment after their end. */
export async function removeGroup({ directories }: Group): Promise<void> {
  for (const directory of directories)
    for (let tries = 0; tries < 40; tries += 1) {
      const code = await rmdir(directory).then(
        () => null,
        (error: NodeJS.ErrnoException) => error.code,
      );
      if (code !== 'EBUSY') break;
      await sleep(25);
    }
}

async function limitCpu(version: 1 | 2, directory: string, quotaMicros: number): Promise<void> {
  const quota = String(Math.max(1000, quotaMicros));
  if (version === 2) return await writeFile(join(directory, 'cpu.max'), `${quota} ${periodMicros}`);
  await writeFile(join(directory, 'cpu.cfs_period_us'), String(periodMicros));
  await writeFile(join(directory, 'cpu.cfs_quota_us'), quota);
}

async function limitMemory(version: 1 | 2, directory: string, bytes: number): Promise<void> {
  if (version === 2) {
    await writeFile(join(directory, 'memory.max'), String(bytes));
    return await writeFile(join(directory, 'memory.swap.max'), '0').catch(() => undefined);
  }
  await writeFile(join(directory, 'memory.limit_in_bytes'), String(bytes));
  await writeFile(join(directory, 'memory.swappiness'), '0').catch(() => undefined);
}

/** proc_pid_mountinfo(5): `... MOUNT-POINT ... - TYPE SOURCE SUPER-OPTIONS`. */
function parseMounts(mountinfo: string): Hierarchy | null {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const [type = '', , options = ''] = right.split(' ');
    const point = left.split(' ')[4];
    return point === undefined ? [] : [{ type, point, options: options.split(',') }];
  });
  const of = (name: string): string | undefined =>
    mounts.find(({ type, options }) => type === 'cgroup' && options.includes(name))?.point;
  const [memory, cpu] = [of('memory'), of('cpu')];
  if (memory !== undefined && cpu !== undefined) return { version: 1, memory, cpu };
  const unified = mounts.find(({ type }) => type === 'cgroup2')?.point;
  return unified === undefined ? null : { version: 2, memory: unified, cpu: unified };
}

async function isWritable({ version, memory, cpu }: Hierarchy): Promise<boolean> {
  try {
    for (const root of new Set([memory, cpu])) await access(root, constants.W_OK);
    if (version === 1) return true;
    const there = (await readFile(join(memory, 'cgroup.controllers'), 'utf8')).split(/\s+/);
    return there.includes('memory') && there.includes('cpu');
  } catch {
    return false;
  }
}

async function handDown(root: string): Promise<void> {
  await writeFile(join(root, 'cgroup.subtree_control'), '+memory +cpu');
  await mkdir(join(root, groups), { recursive: true });
  await writeFile(join(root, groups, 'cgroup.subtree_control'), '+memory +cpu');
}
