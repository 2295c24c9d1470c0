/** The processes of a container, as its own /proc counts them, read from this host (proc_pid_root(5), proc_pid_stat(5)). */
import { readdirSync, readFileSync } from 'node:fs';
import type { SandboxProcess } from '../../../src/backend.ts';
import { inspectContainer, type Inspected } from './container.ts';
import type { Engine } from '../engine/engine.ts';

export class ContainerProcesses {
  readonly #engine: Engine;
  readonly #container: string;
  /** Of the first process, as this host counts. */
  #pid: number | null;

  constructor(engine: Engine, { id, pid }: Pick<Inspected, 'id' | 'pid'>) {
    this.#engine = engine;
    this.#container = id;
    this.#pid = pid;
  }

  /** `null`: they cannot be seen from here. A start of the container gives it another first process. */
  async list(known: ReadonlySet<number>): Promise<readonly SandboxProcess[] | null> {
    const listed = this.#read(known);
    if (listed !== null) return listed;
    this.#pid = (await inspectContainer(this.#engine, this.#container)).pid;
    return this.#read(known);
  }

  /** Synchronous: a few small reads of procfs, which take less than a way through the thread pool. */
  #read(known: ReadonlySet<number>): readonly SandboxProcess[] | null {
    if (this.#pid === null) return null;
    try {
      // The number may be another process's by now, of this host or of another container.
      if (!readFileSync(`/proc/${this.#pid}/cgroup`, 'utf8').includes(this.#container)) return null;
      const proc = `/proc/${this.#pid}/root/proc`;
      const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name) && !known.has(Number(name)));
      return pids.flatMap((pid) => readProcess(`${proc}/${pid}`) ?? []);
    } catch {
      return null;
    }
  }
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

/** A process that is traced runs between its stops (proc_pid_status(5)). */
function isTraced(status: string): boolean {
  return !/^TracerPid:\t0$/m.test(status);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
