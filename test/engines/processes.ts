/**
 * Ends what a killed run left. Everything an engine starts carries the path of its runtime directory in its
 * arguments, and that path was made by mkdtemp: no foreign process can be taken for one of Caisson.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const programs = /^(dockerd|containerd|unshare|sh)$|^containerd-shim/;

interface ProcessLine {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  readonly command: string;
}

/** SIGKILLs the daemons of the runtime directory and the containers below them, and waits until they are gone. */
export async function endProcessesOf(runtime: string): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const pids = processesOf(runtime, seenProcesses());
    if (pids.length === 0) return;
    for (const pid of pids) killQuietly(pid);
    await sleep(100);
  }
  throw new Error(
    `processes of ${runtime} are alive after SIGKILL: ${processesOf(runtime, seenProcesses()).join(' ')}`,
  );
}

/** Daemons, shims, and the shims' children: the first processes of containers, with which their namespaces die. */
export function processesOf(runtime: string, seen: readonly ProcessLine[]): readonly number[] {
  const daemons = seen.filter(({ program, command }) => programs.test(program) && command.includes(runtime));
  const shims = new Set(daemons.filter(({ program }) => program.startsWith('containerd-shim')).map(({ pid }) => pid));
  const containers = seen.filter(({ parent }) => shims.has(parent));
  return [...new Set([...daemons, ...containers].map(({ pid }) => pid))];
}

function seenProcesses(): readonly ProcessLine[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

function readProcess(pid: number): ProcessLine | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const end = stat.lastIndexOf(')');
    const [state, parent] = stat.slice(end + 2).split(' ');
    if (state === 'Z') return null;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
    return { pid, parent: Number(parent), program: stat.slice(stat.indexOf('(') + 1, end), command };
  } catch {
    return null; // It ended while we looked.
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself; the next round would tell.
  }
}
