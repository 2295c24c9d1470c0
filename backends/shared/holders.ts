/** Which processes of this host hold a pipe, by what the kernel shows of their descriptors (proc_pid_fd(5)). */
import { readdir, readlink } from 'node:fs/promises';
import { systemCode } from './system-fault.ts';

export interface Holders {
  readonly pids: readonly number[];
  /** Some processes belong to other users and could not be looked into: an empty list proves nothing then. */
  readonly partial: boolean;
}

/** `inodes`: of pipes that this process reads. It is not a holder itself. */
export async function findHolders(inodes: ReadonlySet<number>): Promise<Holders> {
  const links = new Set([...inodes].map((inode) => `pipe:[${inode}]`));
  const pids: number[] = [];
  let partial = false;
  for (const name of await readdir('/proc')) {
    const pid = /^\d+$/.test(name) ? Number(name) : process.pid;
    if (pid === process.pid) continue;
    const held = await holds(pid, links);
    if (held === null) partial = true;
    else if (held) pids.push(pid);
  }
  return { pids, partial };
}

/** `null`: it may not be looked into. */
async function holds(pid: number, links: ReadonlySet<string>): Promise<boolean | null> {
  try {
    for (const fd of await readdir(`/proc/${pid}/fd`)) {
      const link = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''); // closed meanwhile
      if (links.has(link)) return true;
    }
    return false;
  } catch (error) {
    return ['EACCES', 'EPERM'].includes(systemCode(error) ?? '') ? null : false;
  }
}
