/** `caisson serve` as a process of its own, which tells its memory and the delay of its event loop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { compiled } from '../compiled.ts';
import type { Figures } from './figures.ts';

const cli = fileURLToPath(new URL('../../bin/caisson.cjs', import.meta.url));
const preload = new URL('figures.ts', import.meta.url).href;

interface MeasuredOptions {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Limit on open descriptors of the process. Default: the limit of the test. */
  readonly descriptors?: number;
}

export class MeasuredService implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #log: () => string;

  private constructor(child: ChildProcess, url: string, log: () => string) {
    this.#child = child;
    this.url = url;
    this.#log = log;
  }

  static async start({ home, cwd, env, descriptors }: MeasuredOptions): Promise<MeasuredService> {
    const node = [process.execPath, '--expose-gc', '--import', preload, cli, 'serve', '--port', '0'];
    const [program = '', ...args] =
      descriptors === undefined ? node : ['prlimit', `--nofile=${descriptors}:${descriptors}`, ...node];
    const child = spawn(program, args, {
      cwd,
      env: { ...compiled, ...env, CAISSON_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const log = endOf(child);
    const [url] = await Promise.race([
      once(createInterface({ input: child.stdout ?? Readable.from([]) }), 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error(`the service has ended: ${log()}`))),
    ]);
    return new MeasuredService(child, String(url), log);
  }

  get lives(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Reads resident memory from the kernel, also while the process answers nothing. */
  rssMb(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  }

  /** Since the call before. */
  async figures({ collect = false } = {}): Promise<Figures> {
    const over = new AbortController();
    const ended = once(this.#child, 'exit', over).then(() =>
      Promise.reject(new Error(`the service has ended: ${this.#log()}`)),
    );
    const answer = once(this.#child, 'message', over);
    this.#child.send({ collect });
    try {
      const [figures] = await Promise.race([answer, ended]);
      return Object(figures);
    } finally {
      over.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.lives) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** What it wrote to stderr last. */
function endOf({ stderr }: ChildProcess): () => string {
  let log = '';
  stderr?.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-5000)));
  return () => log;
}
