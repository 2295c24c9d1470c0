/** What a container shows at a mount's target, looked at from this host by its first process (proc_pid_root(5)). */
import { lstat, readFile } from 'node:fs/promises';
import type { FileIdentity } from '../../../src/backend.ts';
import { inspectContainer } from './container.ts';
import type { Engine } from '../engine/engine.ts';

/**
 * `null`: it cannot be seen from here. The engine counts processes in its own namespace, so a number is only believed when
 * the control group of that process names the container. Of a link, the link itself is looked at.
 */
export async function identify(engine: Engine, container: string, target: string): Promise<FileIdentity | null> {
  const { id, pid } = await inspectContainer(engine, container);
  if (pid === null) return null;
  try {
    const { dev, ino } = await lstat(`/proc/${pid}/root${target}`, { bigint: true });
    const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8');
    return groups.includes(id) ? { device: dev, inode: ino } : null;
  } catch {
    return null;
  }
}
