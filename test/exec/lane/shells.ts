/** Lanes in the shells of this host, without a sandbox around them. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import type { Process } from '../../../src/backend.ts';
import { Lane } from '../../../src/exec/lane/lane.ts';
import type { LaneProcess } from '../../../src/exec/lane/lane-process.ts';
import { laneStart } from '../../../src/exec/lane/script.ts';
import { newNonce } from '../../../src/exec/random.ts';
import { shellDirectory, shells } from '../kill/shells.ts';
import { endOfStreams } from '../../fixtures/outputs.ts';

export function started(child: ChildProcessWithoutNullStreams): Process {
  const end = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    outputs: () => endOfStreams(child),
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

/** Those that become a command just as setsid does: not bash. */
export const readyShells = shells.filter((shell) => shell !== 'bash');

/** A lane in a place where `sh` is a given shell. */
export interface ShellLane extends Disposable {
  readonly lane: Lane;
  readonly child: ChildProcessWithoutNullStreams;
  readonly env: { readonly PATH: string; readonly HOME: string };
  /** Whether it stands ready before each command. */
  readonly ready: boolean;
}

const unshared = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;

/** Starts as in a container: with a first process, and none of others. A lane stands ready nowhere else. */
export const alone = [...unshared, 'sh', '-c', '"$@"; exit $?', 'first'] as const;

interface Opening {
  readonly ready?: boolean;
  /** What the first process is, before the lane's command. Absent: of the host when it is not to stand ready. */
  readonly first?: readonly [string, ...string[]];
}

export async function openLane(shell: string, { ready = false, first }: Opening = {}): Promise<ShellLane> {
  const directory = shellDirectory(shell);
  const env = { PATH: `${directory.path}:${process.env['PATH'] ?? '/usr/bin:/bin'}`, HOME: '/root' };
  const nonce = newNonce();
  const before = first === undefined ? (ready ? alone : []) : [...unshared, ...first];
  const { command, program: text } = laneStart(nonce);
  const [program = '', ...rest] = [...before, ...command];
  const child = spawn(program, rest, { env, cwd: '/', detached: true });
  const lane = new Lane(started(child), { onChange: () => undefined, onOutlived: () => undefined });
  await lane.open({ nonce, program: text });
  const close = (): void => {
    lane.close();
    child.kill('SIGKILL');
    directory.remove();
  };
  return { lane, child, env, ready, [Symbol.dispose]: close };
}

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

interface Options {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

export function start(opened: ShellLane, command: readonly [string, ...string[]], options: Options = {}): LaneProcess {
  if (opened.ready) opened.lane.standReady();
  return opened.lane.run({ command, cwd: options.cwd ?? '/', env: options.env ?? {} });
}

export async function runIn(
  opened: ShellLane,
  command: readonly [string, ...string[]],
  options: Options = {},
): Promise<Ran> {
  const running = start(opened, command, options);
  const [stdout, stderr] = [collected(running.stdout), collected(running.stderr)];
  const { exitCode } = await running.wait();
  return { exitCode, stdout: await stdout, stderr: await stderr };
}

async function collected(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Starts a command directly, in a session of its own as in a lane: some of them signal their whole group. */
export function direct(opened: ShellLane, command: readonly [string, ...string[]], options: Options = {}): Ran {
  const { status, signal, stdout, stderr } = spawnSync('setsid', command, {
    cwd: '/',
    env: { ...opened.env, ...options.env },
    input: '',
    maxBuffer: 64 * 2 ** 20,
  });
  const number = signal === null ? null : ({ SIGKILL: 9, SIGTERM: 15, SIGSEGV: 11 } as Record<string, number>)[signal];
  return { exitCode: status ?? 128 + (number ?? 0), stdout, stderr };
}
