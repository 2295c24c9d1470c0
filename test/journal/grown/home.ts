/** State directories with many execs on record, and what processes on them cost in processor time, in milliseconds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compiled } from '../../compiled.ts';
import { measured } from '../../measured/command.ts';
import { MeasuredService } from '../../measured/service.ts';

const program = fileURLToPath(new URL('grow.process.ts', import.meta.url));
const config = 'terminal: {backend: local}\nserver: {shutdown_seconds: 0.5}\n';
/** What a start leaves for the moments after it is part of its cost. */
const settleMs = 500;

export class GrownHome implements AsyncDisposable {
  readonly path: string;
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
    this.path = join(root, 'home');
  }

  static async with(count: number): Promise<GrownHome> {
    const home = new GrownHome(mkdtempSync(join(tmpdir(), 'caisson-grown-')));
    mkdirSync(home.path, { mode: 0o700 });
    writeFileSync(join(home.path, 'config.yaml'), config, { mode: 0o600 });
    await home.#grow(count, 'close');
    return home;
  }

  async costs(): Promise<Readonly<Record<string, number>>> {
    return {
      service: await this.#service(),
      version: await this.#command('version'),
      ls: await this.#command('ls'),
    };
  }

  /** The first start after a process died with its files open. */
  async serviceAfterDeath(): Promise<number> {
    await this.#grow(100, 'die');
    return await this.#service();
  }

  async #service(): Promise<number> {
    await using service = await MeasuredService.start({ home: this.path, cwd: this.#root, env: this.#env });
    await sleep(settleMs);
    return (await service.figures()).cpuMs;
  }

  async #command(...args: readonly string[]): Promise<number> {
    return (await measured(args, { ...this.#env, CAISSON_HOME: this.path })).cpuMs;
  }

  get #env(): Readonly<Record<string, string>> {
    const DOCKER_HOST = `unix://${this.#root}/none.sock`;
    return { PATH: process.env['PATH'] ?? '', HOME: this.#root, DOCKER_HOST };
  }

  async #grow(count: number, end: 'close' | 'die'): Promise<void> {
    const env = { ...process.env, ...compiled };
    const child = spawn(process.execPath, [program, this.path, String(count), end], { env, stdio: 'inherit' });
    const [code, signal] = await once(child, 'exit');
    if (code !== 0 && !(end === 'die' && signal === 'SIGKILL'))
      throw new Error(`exited with ${String(code ?? signal)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}
