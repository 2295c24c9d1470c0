/** One command of a sandbox: started once, its output kept, its end known as long as the sandbox lives. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Container } from './container.ts';
import { takePipes } from './pipes.ts';
import { Refusal } from './refuse.ts';
import { Spool } from './spool.ts';

export interface ExecWanted {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string | null;
  readonly terminal: { readonly rows: number; readonly columns: number } | null;
  readonly discard: { readonly stdout: boolean; readonly stderr: boolean };
  readonly timeoutMs: number | null;
}

export type ExecEnd = { readonly code: number } | { readonly signal: number };

export class Exec {
  readonly stdout: Spool;
  readonly stderr: Spool;
  /** Rejects when the sandbox ended first. */
  readonly end: Promise<ExecEnd>;
  readonly #child: ChildProcess;
  readonly #stdin: Socket;
  readonly #lose: (error: Refusal) => void;
  #accepted = 0;
  #closed = false;
  #writing: Promise<unknown> = Promise.resolve();
  #over = false;

  private constructor(
    child: ChildProcess,
    streams: { readonly stdin: number; readonly spools: readonly [Spool, Spool] },
  ) {
    [this.stdout, this.stderr] = streams.spools;
    this.#child = child;
    this.#stdin = new Socket({ fd: streams.stdin, readable: false, writable: true });
    // A command may close its end at any time.
    this.#stdin.on('error', () => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<ExecEnd>();
    this.#lose = reject;
    this.end = promise;
    promise.catch(() => undefined);
    child.once('exit', (code, signal) => {
      this.#over = true;
      this.#stdin.destroy();
      resolve(code === null ? { signal: constants.signals[signal ?? 'SIGKILL'] } : { code });
    });
  }

  static async start(container: Container, wanted: ExecWanted, directory: string): Promise<Exec> {
    const [stdin, stdout, stderr] = await takePipes(3);
    if (stdin === undefined || stdout === undefined || stderr === undefined) throw new Refusal('INTERNAL', 'no pipes');
    const child = spawnIn(container, wanted, [stdin.read, stdout.write, stderr.write]);
    for (const fd of [stdin.read, stdout.write, stderr.write]) closeSync(fd);
    const kept = (name: 'stdout' | 'stderr', fd: number): Spool => {
      const isKept = !wanted.discard[name];
      if (!isKept) new Socket({ fd, readable: true, writable: false }).resume();
      return new Spool(join(directory, name), isKept ? fd : null);
    };
    await started(child);
    const exec = new Exec(child, {
      stdin: stdin.write,
      spools: [kept('stdout', stdout.read), kept('stderr', stderr.read)],
    });
    if (wanted.timeoutMs !== null) exec.#endAfter(wanted.timeoutMs);
    return exec;
  }

  get running(): boolean {
    return !this.#over;
  }

  get status(): { readonly numBytesWritten: number; readonly closed: boolean } {
    return { numBytesWritten: this.#accepted, closed: this.#closed };
  }

  /** In the order of calls. Bytes before what was accepted are those of a request that came twice. */
  async write(offset: number, data: Buffer): Promise<void> {
    const turn = this.#writing.then(() => this.#write(offset, data));
    this.#writing = turn.catch(() => undefined);
    await turn;
  }

  async closeStdin(): Promise<void> {
    await this.#writing;
    this.#closed = true;
    this.#stdin.end();
  }

  /** The sandbox ends: what it ran is lost. */
  lose(): void {
    this.#over = true;
    this.#lose(new Refusal('NOT_FOUND', 'the sandbox of this command has ended'));
    this.#stdin.destroy();
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
  }

  async #write(offset: number, data: Buffer): Promise<void> {
    if (offset > this.#accepted)
      throw new Refusal('INVALID_ARGUMENT', `stdin is at ${this.#accepted}, and the request at ${offset}`);
    const fresh = data.subarray(this.#accepted - offset);
    if (fresh.length === 0) return;
    if (this.#closed) throw new Refusal('FAILED_PRECONDITION', 'stdin is closed');
    await new Promise<void>((resolve) => {
      if (this.#stdin.destroyed) return resolve();
      this.#stdin.once('close', resolve);
      this.#stdin.write(fresh, () => {
        this.#stdin.off('close', resolve);
        resolve();
      });
    });
    this.#accepted += fresh.length;
  }

  #endAfter(timeoutMs: number): void {
    const timer = setTimeout(() => killTree(this.#child.pid ?? 0), timeoutMs);
    this.end.finally(() => clearTimeout(timer)).catch(() => undefined);
  }
}

function spawnIn(container: Container, wanted: ExecWanted, stdio: [number, number, number]): ChildProcess {
  const { terminal, workdir } = wanted;
  const entry = container.enter(wanted.command, { workdir, terminal: terminal !== null });
  const env = { ...entry.env, ...wanted.env };
  if (terminal === null) return spawn(entry.program, entry.args, { stdio, env, detached: true });
  const size = `stty rows ${terminal.rows} cols ${terminal.columns}`;
  const line = `${size}; exec ${[entry.program, ...entry.args].map(quote).join(' ')}`;
  return spawn('/usr/bin/script', ['-qefc', line, '/dev/null'], {
    stdio,
    // script(1) runs the line by the shell that is named here.
    env: { TERM: 'xterm-256color', COLORTERM: 'truecolor', ...env, SHELL: '/bin/sh' },
    detached: true,
  });
}

async function started(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Refusal('INTERNAL', `the command did not start: ${error.message}`)));
  });
}

/** What entered the sandbox is a child of what this process started. */
function killTree(pid: number): void {
  for (const child of childrenOf(pid)) {
    killTree(child);
    try {
      process.kill(child, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
