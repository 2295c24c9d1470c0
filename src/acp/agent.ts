/** The agent: a program of the user on this host, or one that runs in the sandbox itself. */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { CaissonError } from '../errors.ts';
import { shellCode, signalNumbers } from '../service/api.ts';
import type { Workplace } from './types.ts';

export type Words = readonly [string, ...string[]];

export interface Agent {
  readonly input: Writable;
  readonly output: Readable;
  /** Exit code that a shell would show. */
  readonly exitCode: Promise<number>;
  /** Ends it, and all that it has started. Idempotent. */
  stop(): Promise<void>;
}

/** An agent ends at the end of its input; one that does not is ended. */
const graceMs = 2000;

/**
 * On this host, with the environment of the user: it is the user's own program, and has to reach its model. It has a process group,
 * by which what it leaves behind is ended.
 */
export async function agentOnHost(
  [program, ...args]: Words,
  { cwd, env, stderr }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly stderr: Writable },
): Promise<Agent> {
  const child = spawn(program, args, { cwd, env, stdio: 'pipe', detached: true });
  child.stderr.pipe(stderr, { end: false });
  const exitCode = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signalNumbers[signal ?? ''] ?? 0)));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(agentStartError(program, cause)));
  });
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-Number(child.pid), signal);
    } catch {
      // The group has no process any more.
    }
  };
  const stop = async (): Promise<void> => {
    child.stdin.end();
    if (!(await within(exitCode, graceMs))) {
      signalGroup('SIGTERM');
      await within(exitCode, graceMs);
    }
    signalGroup('SIGKILL');
    await exitCode;
  };
  return { input: child.stdin, output: child.stdout, exitCode, stop: once(stop) };
}

function agentStartError(program: string, cause: Error): CaissonError {
  return new CaissonError('not_found', `the agent ${JSON.stringify(program.slice(0, 256))} cannot be started`, {
    cause,
    remedy: 'give a program that is in PATH, or its path, after --',
  });
}

/** In the sandbox, with no variable of this host but those that are given. */
export async function agentInside(
  command: Words,
  { api, taskId, project }: Workplace,
  { env, stderr }: { readonly env: Readonly<Record<string, string>>; readonly stderr: Writable },
): Promise<Agent> {
  // The editor gets what the agent writes: a message in which something was replaced would be none. Records are without secrets.
  const how = { cwd: project, env, stdin: true, rawOutput: true, timeoutMs: null };
  const running = await api.exec({ taskId, existing: true, command, ...how });
  const { stdin, stdout } = running;
  if (stdin === null) throw new TypeError('the exec has no input');
  stdin.on('error', () => undefined);
  running.stderr.pipe(stderr, { end: false });
  const exitCode = running.exit.then(shellCode);
  const stop = async (): Promise<void> => {
    stdin.end();
    await within(exitCode, graceMs);
    await running.cancel();
  };
  return { input: stdin, output: stdout, exitCode, stop: once(stop) };
}

async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  return await Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
}

function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | null = null;
  return async () => await (begun ??= work());
}
