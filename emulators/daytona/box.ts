/**
 * A place that runs the commands of one sandbox: a root of its own, in mount and process namespaces. Its files lie in a disk of the size
 * that was asked for, and stay when it stops.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assetPath } from '../../src/lib/asset.ts';
import { withoutInherited } from './descriptors.ts';
import type { Layer } from './images.ts';
import { type Groups, type GroupFiles, hold, type Size } from './limits.ts';

const run = promisify(execFile);
const gibibyte = 2 ** 30;
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const scripts = 'emulators/daytona';

export interface BoxOptions {
  readonly id: string;
  readonly directory: string;
  readonly layer: Layer;
  readonly size: Size & { readonly disk: number };
  readonly network: 'open' | 'none';
  readonly env: Readonly<Record<string, string>>;
  /** `null`: limits are not held here. */
  readonly groups: Groups | null;
  /** No namespaces: commands run as this user, on the files of this host. */
  readonly unsafe: boolean;
}

export interface Command {
  readonly argv: readonly string[];
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export class Box {
  readonly home = '/root';
  readonly #options: BoxOptions;
  #init: { readonly child: ChildProcess; readonly pid: number } | null = null;
  #held: GroupFiles | null = null;

  constructor(options: BoxOptions) {
    this.#options = options;
  }

  get runs(): boolean {
    return this.#init !== null;
  }

  async start(): Promise<void> {
    const { directory, size, id, groups, layer, network, unsafe } = this.#options;
    await mkdir(join(directory, 'terminals'), { recursive: true });
    if (!unsafe) await makeDisk(join(directory, 'disk.img'), size.disk);
    this.#held = groups === null ? null : await hold(groups, id, size);
    const child = unsafe
      ? spawn('/bin/sh', ['-c', 'echo ready; exec sleep 2147483'], {
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true,
        })
      : spawn(
          'setpriv',
          [
            '--pdeathsig',
            'KILL',
            '--',
            'unshare',
            ...this.#namespaces(),
            '/bin/sh',
            assetPath(`${scripts}/init.sh`),
            directory,
            layer.directory,
            layer.hostUsr ? 'yes' : 'no',
            network === 'none' ? 'yes' : 'no',
            ...(this.#held?.shown ?? []),
          ],
          { env: { PATH: systemPath, HOME: this.home }, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
        );
    await readiness(child);
    this.#init = { child, pid: unsafe ? (child.pid ?? 0) : await onlyChild(child.pid ?? 0) };
    child.once('exit', () => (this.#init = null));
    for (const file of this.#held?.files ?? []) await writeFile(file, String(this.#init?.pid ?? 0));
  }

  /** Ends every process. Files stay. */
  async stop(): Promise<void> {
    const init = this.#init;
    if (init !== null) {
      const ended = once(init.child, 'exit');
      endProcess(this.#options.unsafe ? -init.pid : init.pid);
      await ended;
    }
    await this.#held?.remove();
    this.#held = null;
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#options.directory, { recursive: true, force: true });
  }

  spawn(command: Command): ChildProcess {
    const { argv, env } = this.#entering(command);
    const [program, ...args] = withoutInherited(['/bin/sh', ...argv]);
    return spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  }

  /** On a terminal of its own. `name` gives its device on this host, once the command has begun. */
  terminal(
    command: Command,
    size: { readonly id: string; readonly rows: number; readonly cols: number },
  ): {
    readonly child: ChildProcess;
    readonly name: () => Promise<string>;
  } {
    const { argv, env } = this.#entering(command);
    const note = join(this.#options.directory, 'terminals', size.id);
    const inner = [
      '/bin/sh',
      assetPath(`${scripts}/terminal.sh`),
      String(size.rows),
      String(size.cols),
      note,
      '/bin/sh',
      ...argv,
    ];
    const line = inner.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const [program, ...args] = withoutInherited(['script', '-q', '-e', '-f', '-c', line, '/dev/null']);
    const child = spawn(program, args, {
      env: { ...env, SHELL: '/bin/sh', TERM: env['TERM'] ?? 'xterm-256color' },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    return { child, name: async () => (await readFile(note, 'utf8')).trim() };
  }

  #entering({ argv, cwd = this.home, env = {} }: Command): {
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  } {
    const all = { PATH: systemPath, HOME: this.home, USER: 'root', ...this.#options.env, ...env };
    if (this.#options.unsafe)
      return { argv: ['-c', 'cd "$1" && shift && exec "$@"', 'sh', this.#options.directory, ...argv], env: all };
    const { network } = this.#options;
    const place = [String(this.#init?.pid ?? 0), network === 'none' ? 'yes' : 'no', cwd, ...(this.#held?.files ?? [])];
    return { argv: [assetPath(`${scripts}/enter.sh`), ...place, '--', ...argv], env: all };
  }

  #namespaces(): readonly string[] {
    const net = this.#options.network === 'none' ? ['--net'] : [];
    return ['--mount', '--pid', '--fork', '--kill-child', '--uts', '--ipc', ...net];
  }
}

/** A file without blocks takes no room until something is written. */
async function makeDisk(file: string, gibibytes: number): Promise<void> {
  try {
    await writeFile(file, '', { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
  await truncate(file, gibibytes * gibibyte);
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', '-O', '^has_journal', '-E', 'lazy_itable_init=1', file]);
}

async function readiness(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-500)));
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the sandbox did not start: ${said.trim()}`);
  });
  if (child.stdout !== null) await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined); // Its end is no failure from here on.
  for (const stream of [child.stdout, child.stderr]) stream?.resume();
}

/** Finds the child of `unshare`, which waits for the first process of the new namespace. */
async function onlyChild(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')[0]);
}

/** A negative number names a group, as for kill(2). */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
