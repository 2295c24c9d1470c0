/**
 * What this process was started with goes through to every child, and so into sandboxes: Node keeps only its own to itself. bash
 * closes those; no other shell closes one of two digits.
 */
import { readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/** The set stays equal for the life of a process, so it is read once. */
let inherited: readonly number[] | null = null;

export function withoutInherited(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  inherited ??= readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && isHandedOn(fd));
  if (inherited.length === 0) return command;
  const closing = inherited.map((fd) => `${fd}>&-`).join(' ');
  // Without `--norc`, bash takes a socket on its input for a remote shell, and reads ~/.bashrc of this host.
  return ['bash', '--norc', '-c', `exec ${closing}; exec "$@"`, 'bash', ...command];
}

function isHandedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false; // The one that the listing was read through is closed by now.
  }
}
