/** Lanes in the shells of this host, without a sandbox around them. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import type { Process } from '../../../src/backend.ts';
import { Lane } from '../../../src/exec/lane/lane.ts';
import { newNonce } from '../../../src/exec/random.ts';

/** What `sh` may be in a sandbox. Those that this host lacks are left out. */
export const shells: readonly (readonly [string, ...string[]])[] = (
  [['dash'], ['busybox', 'sh'], ['bash']] as const
).filter(
  ([program]) =>
    spawnSync(program, ['-c', 'true']).error === undefined || spawnSync(program, ['true']).error === undefined,
);

export function started(child: ChildProcessWithoutNullStreams): Process {
  const end = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    wait: async () => ({ exitCode: await end, signal: null, outOfMemory: false }),
    kill: async (signal) => void child.kill(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGKILL'),
    release: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

export async function openLane(
  shell: readonly [string, ...string[]],
): Promise<{ readonly lane: Lane; readonly child: ChildProcessWithoutNullStreams }> {
  const nonce = newNonce();
  const [, ...rest] = Lane.command(nonce);
  const [program, ...options] = shell;
  const child = spawn(program, [...options, ...rest], {
    argv0: program === 'busybox' ? program : 'sh', // bash reads no startup files under this name
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/root' },
    cwd: '/',
    detached: true,
  });
  const lane = new Lane(started(child), { onChange: () => undefined });
  await lane.open(nonce);
  return { lane, child };
}

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export async function runIn(
  lane: Lane,
  command: readonly [string, ...string[]],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<Ran> {
  const running = lane.run({ command, cwd: options.cwd ?? '/', env: options.env ?? {} });
  const [stdout, stderr] = [collected(running.stdout), collected(running.stderr)];
  const { exitCode } = await running.wait();
  return { exitCode, stdout: await stdout, stderr: await stderr };
}

async function collected(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The same command started directly, in a session of its own as everywhere: some of them signal their whole group. */
export function direct(
  command: readonly [string, ...string[]],
  options: { readonly env?: Record<string, string> } = {},
): Ran {
  const [program, ...rest] = command;
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/root', ...options.env };
  const { status, signal, stdout, stderr } = spawnSync('setsid', [program, ...rest], {
    cwd: '/',
    env,
    input: '',
    maxBuffer: 64 * 2 ** 20,
  });
  const number = signal === null ? null : ({ SIGKILL: 9, SIGTERM: 15, SIGSEGV: 11 } as Record<string, number>)[signal];
  return { exitCode: status ?? 128 + (number ?? 0), stdout, stderr };
}
