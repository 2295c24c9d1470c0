/** A sandbox of real processes on this machine, by the contract and nothing more: what the exec room is tested against. */
import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecOptions, Process, ProcessEnd, Sandbox } from '../../src/backend.ts';
import { endOfStreams } from '../fixtures/outputs.ts';

/** `path` is searched for programs first, so that it can decide what `sh` is. */
export function spawnedSandbox(path: string | null = null): Sandbox {
  const inherited = process.env['PATH'] ?? '/usr/bin:/bin';
  const PATH = path === null ? inherited : `${path}:${inherited}`;
  return {
    ref: { v: 1 },
    state: 'running',
    place: { host: null, resource: 'test', imageDigest: null },
    exec: async (command, options) => await spawnProcess(command, { ...options, env: { PATH, ...options.env } }),
    destroy: async () => {},
  };
}

async function spawnProcess(
  [program, ...args]: readonly [string, ...string[]],
  options: ExecOptions,
): Promise<Process> {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const end = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, outOfMemory: false }));
  });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const stdout = child.stdout ?? Readable.from([]);
  const stderr = child.stderr ?? Readable.from([]);
  return {
    stdin: child.stdin,
    stdout,
    stderr,
    outputs: async () => {
      await end;
      // These are sockets: who holds the other end is not to be seen.
      const held = { is: 'held', pids: [0] } as const;
      return await Promise.race([endOfStreams({ stdout, stderr }), sleep(300, held, { ref: false })]);
    },
    wait: () => end,
    kill: async (signal) => {
      // ESRCH: it has ended, which is what was wanted.
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
        process.kill(child.pid, signal);
    },
    release: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}
