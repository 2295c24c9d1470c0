/** Whether this process is part of a command that Caisson runs on this host: it may then decide nothing about commands. */
import { readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

const maxAncestors = 64;
const marks = /(?:^|\0)CAISSON_(?:EXEC|SANDBOX)=[^\0]/;

/**
 * A command can take the mark out of the environment of what it starts, but not out of its own: so ancestors are looked
 * at as well (proc(5)). One that has cut its line of descent is not found; this is a guard-rail.
 */
export function isInside(env: Environment): boolean {
  if (env['CAISSON_EXEC'] || env['CAISSON_SANDBOX']) return true;
  let pid = process.ppid;
  for (let count = 0; pid > 1 && count < maxAncestors; count += 1) {
    if (marks.test(read(pid, 'environ'))) return true;
    pid = Number(/^PPid:\s*(\d+)$/m.exec(read(pid, 'status'))?.[1] ?? 0);
  }
  return false;
}

/** Empty for a process that is gone, or another user's. */
function read(pid: number, name: 'environ' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
