/** A sandbox without walls, for tests of files alone: processes of this host, with the tools that a test chooses. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import type { ExecOptions, Process, ProcessEnd, Sandbox } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { endOfStreams } from '../fixtures/outputs.ts';

export interface ProcessSandbox extends Sandbox {
  readonly commands: readonly (readonly string[])[];
}

/** `path`: where tools are looked for, before anything in `env`. */
export function processSandbox(path = '/usr/bin:/bin'): ProcessSandbox {
  const commands: string[][] = [];
  return {
    ref: { v: 1 },
    state: 'running',
    place: { host: null, resource: 'test', imageDigest: null },
    commands,
    async exec(command, options) {
      commands.push([...command]);
      return start(command, options, path);
    },
    async destroy() {},
  };
}

async function start(command: readonly [string, ...string[]], options: ExecOptions, path: string): Promise<Process> {
  const [program, ...args] = command;
  // A group of its own, so that a kill reaches what the script started.
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { PATH: path, ...options.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await new Promise((resolve, reject) =>
    child.once('spawn', resolve).once('error', (cause) => {
      reject(new CaissonError('invalid_argument', 'no such program', { cause }));
    }),
  );
  if (!options.stdin) child.stdin.end();
  return processOf(child, options.stdin);
}

function processOf(child: ChildProcess, stdin: boolean): Process {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('no pipes');
  const end = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, outOfMemory: false }));
  });
  return {
    stdin: stdin ? child.stdin : null,
    stdout,
    stderr,
    wait: () => end,
    outputs: () => endOfStreams({ stdout, stderr }),
    async kill(signal) {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), signal);
    },
    release() {
      for (const stream of [child.stdin, stdout, stderr]) stream?.destroy();
    },
  };
}

/** A sandbox whose every command prints these bytes: the worst tar there can be. */
export function printingSandbox(
  archive: Iterable<Buffer> | Buffer,
  exitCode = 0,
): Sandbox & { readonly killed: string[] } {
  const killed: string[] = [];
  return {
    ref: { v: 1 },
    state: 'running',
    place: { host: null, resource: 'test', imageDigest: null },
    killed,
    async exec() {
      const stdout = Readable.from(Buffer.isBuffer(archive) ? [archive] : archive, { objectMode: false });
      // The process ends when its output has been taken, like a real one.
      const end = new Promise<ProcessEnd>((resolve) => {
        stdout.once('close', () => resolve({ exitCode, signal: null, outOfMemory: false }));
      });
      return {
        stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
        stdout,
        stderr: Readable.from([]),
        wait: () => end,
        outputs: async () => ({ is: 'ended' }),
        async kill(signal) {
          killed.push(signal);
          stdout.destroy();
        },
        release() {
          stdout.destroy();
        },
      };
    },
    async destroy() {},
  };
}
