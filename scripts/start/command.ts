/** The command line of this checkout: shows what it runs, passes on what it prints, and holds it to what it must say. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { say } from './say.ts';

const program = fileURLToPath(new URL('../../bin/caisson.cjs', import.meta.url));

export interface Expected {
  /** Default 0. */
  readonly exitCode?: number;
  /** What stdout must match. */
  readonly says?: RegExp;
}

export interface Answer {
  readonly exitCode: number | null;
  readonly stdout: string;
}

export class Caisson {
  readonly #env: NodeJS.ProcessEnv;
  readonly #signal: AbortSignal;

  constructor({ env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal }) {
    this.#env = env;
    this.#signal = signal;
  }

  /** Throws when it does not end and speak as expected. */
  async run(args: readonly string[], expected: Expected = {}): Promise<void> {
    const { exitCode: wanted = 0, says } = expected;
    say.command(lineOf(args));
    const { exitCode, stdout } = await this.#spawn(args, { shown: true });
    this.#signal.throwIfAborted();
    if (exitCode !== wanted) throw new Error(`${lineOf(args)} ended with exit code ${exitCode}, not ${wanted}`);
    if (says?.test(stdout) === false) throw new Error(`${lineOf(args)} did not print what it must: ${says.source}`);
    if (wanted !== 0) say.line(`(exit code ${wanted}, as it should be)`);
  }

  /** JSON that the command prints, whatever its exit code; nothing is shown. */
  async ask(args: readonly string[]): Promise<unknown> {
    const { stdout, exitCode } = await this.#spawn([...args, '-o', 'json'], { shown: false });
    this.#signal.throwIfAborted();
    if (stdout.trim() === '') throw new Error(`${lineOf(args)} printed nothing and ended with exit code ${exitCode}`);
    return JSON.parse(stdout);
  }

  /** Runs also after an interrupt. A failure is shown by the command itself and fails the whole. */
  async cleanUp(args: readonly string[]): Promise<void> {
    say.command(lineOf(args));
    const { exitCode } = await this.#spawn(args, { shown: true });
    if (exitCode !== 0) process.exitCode = 1;
  }

  /** In a group of its own, so that Ctrl-C comes to it through us, once. */
  async #spawn(args: readonly string[], { shown }: { readonly shown: boolean }): Promise<Answer> {
    const child = spawn(process.execPath, [program, ...args], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const interrupt = (): void => void child.kill('SIGINT');
    this.#signal.addEventListener('abort', interrupt, { once: true });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (shown) process.stdout.write(chunk);
    });
    await once(child, 'close');
    this.#signal.removeEventListener('abort', interrupt);
    return { exitCode: child.exitCode, stdout: Buffer.concat(chunks).toString('utf8') };
  }
}

/** The command in the form that a person would type. */
function lineOf(args: readonly string[]): string {
  const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  return ['bin/caisson', ...args.map(word)].join(' ');
}
