/** The command line as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compiled } from '../compiled.ts';
import { program } from '../program.ts';

export const bin = program;
export const onDouble = fileURLToPath(new URL('double-main.ts', import.meta.url));

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the text has been written to stdout or stderr. */
  readonly wrote: (part: string) => Promise<void>;
}

/** Longer than any of these tests takes; nothing outlives it. */
const timeoutMs = 15_000;

export function start(program: string, args: readonly string[], env: Record<string, string> = {}): CliProcess {
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...compiled, PATH: process.env['PATH'], ...env },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => (written[name] += chunk.toString()));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...written }));
  });
  const wrote = async (part: string): Promise<void> => {
    while (!written.stdout.includes(part) && !written.stderr.includes(part)) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`it ended without writing ${part}: ${written.stdout}${written.stderr}`);
      await delay(10);
    }
  };
  return { child, ended, wrote };
}

export async function finished(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const { child, ended } = start(program, args, env);
  child.stdin?.end();
  return ended;
}

/** A directory for one test: `log()` reads what the double was asked to do. */
export async function scratch(): Promise<
  AsyncDisposable & {
    readonly path: string;
    readonly env: Record<string, string>;
    readonly log: () => Promise<string[]>;
  }
> {
  const path = await mkdtemp(join(tmpdir(), 'caisson-cli-'));
  const logFile = join(path, 'log');
  return {
    path,
    env: { HOME: path, DOUBLE_LOG: logFile },
    log: async () => (existsSync(logFile) ? (await readFile(logFile, 'utf8')).trimEnd().split('\n') : []),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

/** A Node of the system that is too old for Caisson, if there is one. */
export async function olderNode(): Promise<string | null> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const candidate = join(directory, 'node');
    if (directory.includes(`node_modules${sep}`) || !existsSync(candidate)) continue;
    const { stdout } = await finished(candidate, ['--version']);
    const major = Number(/^v(\d+)/.exec(stdout)?.[1]);
    if (major >= 18 && major < 24) return candidate;
  }
  return null;
}
