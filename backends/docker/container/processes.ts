/** The processes of a container, as its own /proc counts them, read from this host (proc_pid_root(5), proc_pid_stat(5)). */
import { readdirSync, readFileSync } from 'node:fs';
import type { NetworkTables, ProcessDetails, SandboxProcess, Stats } from '../../../src/backend.ts';
import { inspectContainer, type Inspected } from './container.ts';
import { kernelStats } from './kernel-stats.ts';
import type { Engine } from '../engine/engine.ts';

const marking = 'CAISSON_EXEC=';

export class ContainerProcesses {
  readonly #engine: Engine;
  readonly #container: string;
  /** Pid of the first process on this host. */
  #pid: number | null;

  constructor(engine: Engine, { id, pid }: Pick<Inspected, 'id' | 'pid'>) {
    this.#engine = engine;
    this.#container = id;
    this.#pid = pid;
  }

  /** `null`: they cannot be seen from here. */
  async list(known: ReadonlySet<number>): Promise<readonly SandboxProcess[] | null> {
    return await this.#seen(known, readProcess);
  }

  async details(): Promise<readonly ProcessDetails[] | null> {
    return await this.#seen(new Set(), readDetails);
  }

  /** Status of the first process (proc_pid_status(5)). */
  async status(): Promise<string | null> {
    return (await this.#own('status')) || null;
  }

  /** Interfaces and routes of the network namespace of the first process. */
  async network(): Promise<NetworkTables | null> {
    const devices = await this.#own('net/dev');
    const routes = await this.#own('net/route');
    const routes6 = await this.#own('net/ipv6_route');
    return devices === '' || routes === '' ? null : { devices, routes, routes6 };
  }

  /** A file of the first process in procfs; empty where it cannot be read. A start of the container gives it another first process. */
  async #own(file: string): Promise<string> {
    if (!this.#isOwn()) this.#pid = (await inspectContainer(this.#engine, this.#container)).pid;
    return this.#isOwn() ? textOf(`/proc/${this.#pid}/${file}`) : '';
  }

  /** The number may be another process's by now, of this host or of another container. */
  #isOwn(): boolean {
    return this.#pid !== null && textOf(`/proc/${this.#pid}/cgroup`).includes(this.#container);
  }

  /** Usage of the container. `null`: it cannot be seen from here. */
  async stats(): Promise<Stats | null> {
    const seen = this.#kernelStats();
    if (seen !== null) return seen;
    this.#pid = (await inspectContainer(this.#engine, this.#container)).pid;
    return this.#kernelStats();
  }

  #kernelStats(): Stats | null {
    return this.#pid === null ? null : kernelStats({ pid: this.#pid, container: this.#container });
  }

  /** A start of the container gives it another first process. */
  async #seen<T>(known: ReadonlySet<number>, read: (path: string) => T | null): Promise<readonly T[] | null> {
    const listed = this.#read(known, read);
    if (listed !== null) return listed;
    this.#pid = (await inspectContainer(this.#engine, this.#container)).pid;
    return this.#read(known, read);
  }

  /** Synchronous: a few small reads of procfs, which take less than a way through the thread pool. */
  #read<T>(known: ReadonlySet<number>, read: (path: string) => T | null): readonly T[] | null {
    if (this.#pid === null) return null;
    try {
      // The number may be another process's by now, of this host or of another container.
      if (!readFileSync(`/proc/${this.#pid}/cgroup`, 'utf8').includes(this.#container)) return null;
      const proc = `/proc/${this.#pid}/root/proc`;
      const pids = readdirSync(proc).filter((name) => isDigit(name.charCodeAt(0)) && !known.has(Number(name)));
      return pids.flatMap((pid) => read(`${proc}/${pid}`) ?? []);
    } catch {
      return null;
    }
  }
}

/** In /proc only the names of processes begin with a digit (proc(5)). */
function isDigit(character: number): boolean {
  return character >= 0x30 && character <= 0x39;
}

/** `null`: it has ended, or is dead and not yet reaped. */
function readProcess(path: string): SandboxProcess | null {
  const text = textOf(`${path}/stat`);
  // The name, in parentheses, is the process's to choose and may hold any byte.
  const [state = 'X', parent, , session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (/[ZXx]/.test(state)) return null;
  const isHalted = /[Tt]/.test(state) || isTraced(textOf(`${path}/status`));
  return { pid: Number.parseInt(text, 10), parent: Number(parent), session: Number(session), isHalted };
}

/** The kernel counts hundredths of a second, whatever its own clock (proc_pid_stat(5), field 22). */
function readDetails(path: string): ProcessDetails | null {
  const process = readProcess(path);
  const text = textOf(`${path}/stat`);
  const end = text.lastIndexOf(')');
  const ticks = Number(text.slice(end + 2).split(' ')[19]);
  if (process === null || !Number.isFinite(ticks)) return null;
  const [mark = null] = textOf(`${path}/environ`)
    .split('\0')
    .flatMap((each) => (each.startsWith(marking) ? [each.slice(marking.length)] : []));
  return { ...process, startedAtMs: ticks * 10, mark, name: text.slice(text.indexOf('(') + 1, end) };
}

/** A process that is traced runs between its stops (proc_pid_status(5)). */
function isTraced(status: string): boolean {
  return !/^TracerPid:\t0$/m.test(status);
}

/** UTF-8 is what Node reads in one call, in half the time: this stands in the way of commands. Bytes that are not UTF-8 are replaced. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
