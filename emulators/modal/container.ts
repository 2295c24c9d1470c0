/** A root, processes and limits of its own: the place in which the commands of one sandbox run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assetPath } from '../../src/lib/asset.ts';
import { runTool } from './tool.ts';
import { type Group, removeGroup } from './limits.ts';
import { Refusal } from './refuse.ts';

/** Programs of this host, which every image has: no image is pulled. */
const shared = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64'],
  ...['/etc/alternatives', '/etc/ssl', '/etc/ld.so.cache', '/etc/passwd', '/etc/group'],
  ...['/etc/nsswitch.conf', '/etc/resolv.conf', '/etc/hosts'],
];

/** What the engine of a container leaves to its root by default. */
const capabilities =
  'chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,sys_chroot,audit_write,setfcap';

const maxCopies = 5;

/** Variables of a command of which the request says nothing. */
const defaultEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' } as const;

export interface ContainerRequest {
  readonly id: string;
  readonly directory: string;
  /** The directory of the image; its files are copied. */
  readonly image: string;
  readonly network: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly group: Group;
}

/** How to start one command in it: for `spawn`. */
export interface Entry {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Container {
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  enter(command: readonly string[], how: { readonly workdir: string | null; readonly terminal: boolean }): Entry;
  snapshot(to: string): Promise<void>;
  /** Ends every process; the files stay. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

export async function startContainer(wanted: ContainerRequest): Promise<Container> {
  await mkdir(wanted.directory, { recursive: true, mode: 0o755 });
  await copyTree(wanted.image, wanted.directory);
  if (!canIsolate()) return plainContainer(wanted);
  const starter = spawn('unshare', unshareArgs(wanted), { stdio: ['ignore', 'pipe', 'pipe'], env: defaultEnv });
  try {
    const pid = await firstProcess(starter);
    return new Namespaces(wanted, starter, pid);
  } catch (error) {
    starter.kill('SIGKILL');
    await removeGroup(wanted.group);
    throw error;
  }
}

/** Namespaces need root, and Linux. */
export function canIsolate(): boolean {
  return process.getuid?.() === 0 && process.platform === 'linux';
}

function unshareArgs({ directory, network, group }: ContainerRequest): string[] {
  const groups = group.directories.flatMap((path) => [path, `/sys/fs/cgroup${groupPlace(path)}`]);
  return [
    ...['--mount', '--pid', '--ipc', '--uts', ...(network ? [] : ['--net']), '--fork', '--kill-child=KILL'],
    ...['/bin/sh', assetPath('emulators/modal/init.sh'), directory, ...groups, '--', ...shared],
  ];
}

/** In version 1 of control groups each controller has a directory; in version 2 all have one. */
function groupPlace(path: string): string {
  const name = path.split('/').find((part) => part === 'memory' || part === 'cpu');
  return name === undefined ? '' : `/${name}`;
}

async function firstProcess(starter: ChildProcess): Promise<number> {
  const { stdout, stderr } = starter;
  if (stdout === null || stderr === null) throw new Refusal('INTERNAL', 'no streams');
  let why = '';
  stderr.on('data', (chunk: Buffer) => (why = `${why}${chunk.toString()}`.slice(0, 500)));
  const ended = once(starter, 'exit').then(() => null);
  const said: unknown = await Promise.race([once(stdout, 'data'), ended]);
  if (said === null) throw new Refusal('INTERNAL', `the sandbox did not start: ${why.trim()}`);
  const children = await readFile(`/proc/${starter.pid}/task/${starter.pid}/children`, 'utf8');
  return Number(children.trim());
}

class Namespaces implements Container {
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly #wanted: ContainerRequest;
  readonly #starter: ChildProcess;
  readonly #pid: number;
  readonly #gone: Promise<unknown>;

  constructor(wanted: ContainerRequest, starter: ChildProcess, pid: number) {
    this.env = { ...defaultEnv, ...wanted.env };
    this.workdir = wanted.workdir;
    this.#wanted = wanted;
    this.#starter = starter;
    this.#pid = pid;
    this.#gone = once(starter, 'exit');
  }

  enter(
    command: readonly string[],
    { workdir, terminal }: { readonly workdir: string | null; terminal: boolean },
  ): Entry {
    const groups = this.#wanted.group.directories.map((directory) => join(directory, 'cgroup.procs'));
    const namespaces = ['--mount', '--pid', '--ipc', '--uts', ...(this.#wanted.network ? [] : ['--net']), '--root'];
    return {
      program: '/bin/sh',
      args: [
        ...[assetPath('emulators/modal/enter.sh'), ...groups, '--'],
        ...['/usr/bin/nsenter', `--target=${this.#pid}`, ...namespaces, `--wdns=${workdir ?? this.workdir}`],
        ...['/usr/bin/setsid', ...(terminal ? ['-c'] : [])],
        ...['/usr/bin/setpriv', '--no-new-privs', `--bounding-set=-all,+${capabilities.replaceAll(',', ',+')}`],
        ...command,
      ],
      env: this.env,
    };
  }

  /** Mounts are in its own namespace: the directory as this host sees it has the files of the sandbox alone. */
  async snapshot(to: string): Promise<void> {
    await copyTree(this.#wanted.directory, to);
  }

  async stop(): Promise<void> {
    this.#starter.kill('SIGKILL');
    await this.#gone;
  }

  async remove(): Promise<void> {
    await rm(this.#wanted.directory, { recursive: true, force: true });
    await removeGroup(this.#wanted.group);
  }
}

/** A container of `--unsafe` without root: processes of this host, in the directory of the sandbox. */
function plainContainer({ directory, env, workdir }: ContainerRequest): Container {
  const inside = (path: string): string => (existsSync(path) ? path : join(directory, path));
  return {
    env: { ...defaultEnv, HOME: directory, ...env },
    workdir,
    enter: ([program = 'true', ...args], how) => ({
      program: '/usr/bin/env',
      args: ['--chdir', inside(how.workdir ?? workdir), program, ...args],
      env: { ...defaultEnv, HOME: directory, ...env },
    }),
    snapshot: (to) => cp(directory, to, { recursive: true, verbatimSymlinks: true }),
    stop: async () => undefined,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Keeps owners, modes, links and holes. Commands may remove files while they are copied: then it is tried again. */
async function copyTree(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await mkdir(to, { recursive: true, mode: 0o755 });
    try {
      return await runTool('cp', ['-a', '--reflink=auto', `${from}/.`, to]);
    } catch (error) {
      if (attempt === maxCopies) throw error;
      await rm(to, { recursive: true, force: true });
    }
  }
}
