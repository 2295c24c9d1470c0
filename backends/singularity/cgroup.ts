/** The control group of one sandbox: its limits, who is in it, what it uses. */
import { readFileSync } from 'node:fs';
import { access, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits, Stats } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';
import { type Controller, groupsName, type Hierarchy, makeParents } from './hierarchy.ts';

const periodMicros = 100_000;
const removePausesMs = [5, 20, 50, 100, 200, 400, 800];

export class Cgroup {
  readonly #hierarchy: Hierarchy;
  readonly #paths: Readonly<Record<Controller, string>>;

  constructor(hierarchy: Hierarchy, id: string) {
    const { at } = hierarchy;
    this.#hierarchy = hierarchy;
    const below = (root: string): string => join(root, groupsName, id);
    this.#paths = { memory: below(at.memory), pids: below(at.pids), cpu: below(at.cpu) };
  }

  /** What a sandbox sees of it, so that its limits can be measured inside: host directory and place. */
  get mounts(): readonly { readonly source: string; readonly target: string }[] {
    const base = '/sys/fs/cgroup';
    if (this.#hierarchy.version === 2) return [{ source: this.#paths.memory, target: base }];
    return Object.entries(this.#paths).map(([name, source]) => ({ source, target: `${base}/${name}` }));
  }

  async make(limits: Limits): Promise<void> {
    try {
      await makeParents(this.#hierarchy);
      for (const path of this.#directories) await mkdir(path, { recursive: true });
      for (const [controller, file, value] of await this.#settings(limits))
        await writeFile(join(this.#paths[controller], file), value);
    } catch (error) {
      throw systemError(error, 'set the limits of the sandbox');
    }
  }

  /** A process that has ended meanwhile is not placed. */
  async place(pid: number): Promise<void> {
    try {
      for (const path of this.#directories) await writeFile(join(path, 'cgroup.procs'), String(pid));
    } catch (error) {
      if (systemCode(error) !== 'ESRCH')
        throw systemError(error, 'put a process into the control group of its sandbox');
    }
  }

  /** Reads every directory, since one may hold a process that another has not got yet. */
  async members(): Promise<ReadonlySet<number>> {
    const [first, ...others] = await Promise.all(
      this.#directories.map(
        async (path) => new Set((await readFile(join(path, 'cgroup.procs'), 'utf8')).split('\n').map(Number)),
      ),
    );
    return new Set([...(first ?? [])].filter((pid) => others.every((each) => each.has(pid))));
  }

  /** How often the kernel killed in it for memory. 0 when it is gone. */
  memoryKills(): number {
    const file = this.#hierarchy.version === 1 ? 'memory.oom_control' : 'memory.events';
    try {
      const text = readFileSync(join(this.#paths.memory, file), 'utf8');
      return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENODEV') return 0;
      throw systemError(error, 'read the control group of the sandbox');
    }
  }

  async stats(): Promise<Stats> {
    const read = async (controller: Controller, file: string): Promise<string | null> => {
      try {
        return (await readFile(join(this.#paths[controller], file), 'utf8')).trim();
      } catch {
        return null; // Not reported here: unknown.
      }
    };
    const v1 = this.#hierarchy.version === 1;
    const usage = v1 ? await read('cpu', 'cpuacct.usage') : await read('cpu', 'cpu.stat');
    return {
      cpuNanos: v1 ? count(usage) : microsOf(usage),
      memoryBytes: count(await read('memory', v1 ? 'memory.usage_in_bytes' : 'memory.current')),
      memoryLimitBytes: limit(await read('memory', v1 ? 'memory.limit_in_bytes' : 'memory.max')),
      pids: count(await read('pids', 'pids.current')),
      pidsLimit: limit(await read('pids', 'pids.max')),
      networkReceivedBytes: null,
      networkSentBytes: null,
    };
  }

  /** The last processes leave it a moment after they have ended. */
  async remove(): Promise<void> {
    for (const path of this.#directories) await removeGroup(path);
  }

  get #directories(): readonly string[] {
    return [...new Set(Object.values(this.#paths))];
  }

  async #settings({
    cpuCores,
    memoryBytes,
    pids,
  }: Limits): Promise<readonly (readonly [Controller, string, string])[]> {
    const v1 = this.#hierarchy.version === 1;
    const quota = String(Math.max(1000, Math.round((cpuCores ?? 0) * periodMicros)));
    const cpu: readonly (readonly [Controller, string, string])[] = v1
      ? [
          ['cpu', 'cpu.cfs_period_us', String(periodMicros)],
          ['cpu', 'cpu.cfs_quota_us', quota],
        ]
      : [['cpu', 'cpu.max', `${quota} ${periodMicros}`]];
    return [
      ...(cpuCores === null ? [] : cpu),
      ...(memoryBytes === null ? [] : await this.#memorySettings(String(memoryBytes))),
      ...(pids === null ? [] : [['pids', 'pids.max', String(pids)] as const]),
    ];
  }

  /** No swap beyond the limit. A kernel of version 1 without swap accounting is set not to swap at all. */
  async #memorySettings(bytes: string): Promise<readonly (readonly [Controller, string, string])[]> {
    if (this.#hierarchy.version === 2)
      return [
        ['memory', 'memory.max', bytes],
        ['memory', 'memory.swap.max', '0'],
      ];
    const together = 'memory.memsw.limit_in_bytes';
    const counted = await access(join(this.#paths.memory, together)).then(
      () => true,
      () => false,
    );
    return [
      ['memory', 'memory.limit_in_bytes', bytes],
      counted ? ['memory', together, bytes] : ['memory', 'memory.swappiness', '0'],
    ];
  }
}

async function removeGroup(path: string): Promise<void> {
  for (const pauseMs of [...removePausesMs, null]) {
    try {
      await rmdir(path);
      return;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return;
      if (systemCode(error) !== 'EBUSY') throw systemError(error, 'remove the control group of the sandbox');
    }
    if (pauseMs !== null) await sleep(pauseMs);
  }
  throw new CaissonError('unavailable', `the control group ${path} still has processes`, {
    remedy: 'they hang in the kernel: end them by hand, then remove the sandbox again',
  });
}

function count(text: string | null): number | null {
  return text !== null && /^\d{1,19}$/.test(text) ? Number(text) : null;
}

/** "No limit" is `max`, or a number near 2^63. */
function limit(text: string | null): number | null {
  const value = count(text);
  return value === null || value >= 2 ** 60 ? null : value;
}

function microsOf(stat: string | null): number | null {
  const micros = /^usage_usec (\d{1,16})$/m.exec(stat ?? '')?.[1];
  return micros === undefined ? null : Number(micros) * 1000;
}
