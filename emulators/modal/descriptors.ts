/** Descriptors that this process was started with, such as those of the shell before it: commands would inherit them. */
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Those of Node itself are closed when a program starts (open(2), O_CLOEXEC); an IPC channel is its parent's to close. */
export function closeInherited(): void {
  if (!isMainThread || process.connected) return;
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > 2 && isInherited(fd)) closeSync(fd);
  }
}

const closeOnExec = 0o2000000;

/** proc_pid_fdinfo(5). */
function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false; // That of the directory, which is closed by now.
  }
}
