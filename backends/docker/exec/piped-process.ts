/** An exec whose streams are named pipes: the engine starts it, says how it ended and signals it, and sees none of its bytes. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { ExecOptions, Outputs, Process, ProcessEnd } from '../../../src/backend.ts';
import { shellText } from '../../../src/lib/script.ts';
import { untilAborted } from '../../shared/abort.ts';
import type { Command, Container } from './start.ts';
import { linesOf } from '../engine/lines.ts';
import { newPipePaths, type PipePaths, Pipes } from './pipes.ts';
import { ExecProcess } from './process.ts';
import { endOf } from '../../shared/outputs.ts';

export class PipedProcess implements Process {
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly #process: ExecProcess;
  readonly #pipes: Pipes;

  private constructor(process: ExecProcess, pipes: Pipes) {
    this.#process = process;
    this.#pipes = pipes;
    this.stdin = pipes.stdin;
    this.stdout = pipes.stdout;
    this.stderr = pipes.stderr;
  }

  /** `null`: no pipes reach into this container, and the command was not started. */
  static async start(container: Container, command: Command, options: ExecOptions): Promise<PipedProcess | null> {
    const paths = newPipePaths();
    const connect = shellText('backends/docker/exec/connect');
    const all = ['sh', '-c', connect, 'pipes', ...paths, ...command] as const;
    const process = await ExecProcess.start(container, all, { ...options, stdin: true, terminal: null });
    const connecting = PipedProcess.#connect(process, paths, options.signal);
    return untilAborted(connecting, options.signal, () => end(process));
  }

  static async #connect(
    process: ExecProcess,
    paths: PipePaths,
    signal: AbortSignal | undefined,
  ): Promise<PipedProcess | null> {
    const pipes = await opened(process, paths);
    process.release();
    if (pipes !== null && (await greeted(pipes, signal))) return new PipedProcess(process, pipes);
    pipes?.close();
    end(process);
    return null;
  }

  wait(): Promise<ProcessEnd> {
    return this.#process.wait();
  }

  outputs(): Promise<Outputs> {
    return endOf([this.stdout, this.stderr]);
  }

  kill(signal: string): Promise<void> {
    return this.#process.kill(signal);
  }

  release(): void {
    this.#pipes.release();
  }
}

/** Opens this side once the other one is held, and says that it is. */
async function opened(process: ExecProcess, paths: PipePaths): Promise<Pipes | null> {
  process.stderr.resume();
  try {
    for await (const line of linesOf(process.stdout)) {
      if (line !== 'made') return null;
      const pid = await process.pid();
      if (pid === null) return null;
      const pipes = new Pipes(pid, paths);
      process.stdin?.write('go\n');
      return pipes;
    }
    return null;
  } catch {
    return null; // then they do not reach, whatever keeps them from it
  }
}

/**
 * Whether it has become the command. One that has ended may have been it: then the greeting lies in the pipe. A start that is aborted
 * does not wait for the kill, which may not reach the container any more: open pipes would keep this process from ending.
 */
async function greeted({ stdout }: Pipes, signal: AbortSignal | undefined): Promise<boolean> {
  return await once(stdout, 'readable', signal === undefined ? {} : { signal }).then(
    () => isGreeting(stdout.read(1)),
    () => false,
  );
}

function isGreeting(byte: unknown): boolean {
  return Buffer.isBuffer(byte) && byte.toString() === '+';
}

/** One that cannot be killed now is core's to find by its mark. */
function end(process: ExecProcess): void {
  process.release();
  process.kill('SIGKILL').catch(() => {});
}
