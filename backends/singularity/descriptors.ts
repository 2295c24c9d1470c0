/**
 * Apptainer hands every descriptor on that it inherits, down to the command in the container. Node opens its own so that
 * no child gets them, but what the service itself was started with goes through. bash closes those; no other shell
 * closes one of two digits.
 *
 * Nor may a program in the container write a core file: a host whose core_pattern is a pipe runs its handler as root (core(5)). Node
 * sets no limits for its children.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { systemCode } from '../shared/system-fault.ts';

type Command = readonly [string, ...string[]];

const closeOnExec = 0o2000000;

/** The set does not change in the life of a process, so it is read once. */
let inherited: readonly number[] | null = null;

export function withoutLeaks(command: Command): Command {
  inherited ??= inheritedDescriptors();
  if (inherited.length === 0) return ['/bin/sh', '-c', 'ulimit -c 0; exec "$@"', 'sh', ...command];
  const closing = inherited.map((fd) => `${fd}>&-`).join(' ');
  return ['bash', '-c', `ulimit -c 0; exec ${closing}; exec "$@"`, 'bash', ...command];
}

function inheritedDescriptors(): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && isHandedOn(fd))
    .toSorted((a, b) => a - b);
}

function isHandedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch (error) {
    // The one that the listing was read through is closed by now.
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
