/** Finds the control groups of this host (cgroups(7)), and whether limits can be set in them. */
import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CaissonError, toCaissonError } from '../../src/errors.ts';
import { systemError } from '../shared/system-fault.ts';

const controllers = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof controllers)[number];

/** Ours, below the root of the hierarchy. */
export const groupsName = 'caisson';

export interface Hierarchy {
  readonly version: 1 | 2;
  /** Mount points. In version 2 it is one for all. */
  readonly at: Readonly<Record<Controller, string>>;
}

/** A text is the reason why there are no limits here. */
export async function findHierarchy(isRoot: boolean): Promise<Hierarchy | string> {
  if (!isRoot) return 'setting limits needs root, or a scheduler that sets them around Caisson';
  try {
    const found = parseMounts(await readFile('/proc/self/mountinfo', 'utf8'));
    if (found === null) return 'the host has no control groups for memory, processes and cores';
    await checkWritable(found);
    return found;
  } catch (error) {
    const { message } = toCaissonError(systemError(error, 'write there'));
    return `the control groups of this host cannot be written: ${message}`;
  }
}

/** proc_pid_mountinfo(5): `... MOUNT-POINT ... - TYPE SOURCE SUPER-OPTIONS`. */
export function parseMounts(mountinfo: string): Hierarchy | null {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const [type = '', , options = ''] = right.split(' ');
    const point = left.split(' ')[4];
    return point === undefined ? [] : [{ type, point, options: options.split(',') }];
  });
  const [memory, pids, cpu] = controllers.map(
    (name) => mounts.find(({ type, options }) => type === 'cgroup' && options.includes(name))?.point,
  );
  if (memory !== undefined && pids !== undefined && cpu !== undefined) return { version: 1, at: { memory, pids, cpu } };
  const unified = mounts.find(({ type }) => type === 'cgroup2')?.point;
  return unified === undefined ? null : { version: 2, at: { memory: unified, pids: unified, cpu: unified } };
}

/** Looks only. Throws when no group could be made there. */
async function checkWritable({ version, at }: Hierarchy): Promise<void> {
  for (const root of new Set(Object.values(at))) await access(root, constants.W_OK);
  if (version === 1) return;
  const there = (await readFile(join(at.memory, 'cgroup.controllers'), 'utf8')).trim().split(' ');
  const missing = controllers.filter((name) => !there.includes(name));
  if (missing.length > 0) throw new CaissonError('not_supported', `they lack ${missing.join(', ')}`);
}

/** Makes the groups that hold those of sandboxes. In version 2 a group has the controllers that its parents hand down. */
export async function makeParents({ version, at }: Hierarchy): Promise<void> {
  for (const root of new Set(Object.values(at))) {
    const ours = join(root, groupsName);
    if (version === 2) await handDown(root);
    await mkdir(ours, { recursive: true });
    if (version === 2) await handDown(ours);
  }
}

async function handDown(group: string): Promise<void> {
  await writeFile(join(group, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '));
}
