/** A temporary directory of a test's own, and processes that work in it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export async function scratch(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'caisson-store-'));
  return { path, [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }) };
}

const program = fileURLToPath(new URL('holder.process.ts', import.meta.url));

/** Another real process with the same store open. */
export class HolderProcess {
  readonly child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #stdin: NodeJS.WritableStream;
  stderr = '';

  constructor(database: string) {
    const child = spawn(process.execPath, [program, database], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.child = child;
    this.#stdin = child.stdin;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** The first answer is to having opened: the instance id. */
  async answer(): Promise<string> {
    const next: IteratorResult<string, unknown> = await this.#answers.next();
    if (next.done === true) throw new Error(`the process ended: ${this.stderr}`);
    return next.value;
  }

  async ask(command: string): Promise<string> {
    this.#stdin.write(`${command}\n`);
    return await this.answer();
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    await ended;
  }
}
