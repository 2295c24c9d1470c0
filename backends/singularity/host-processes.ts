/**
 * The processes of a sandbox as the host sees them. Those that Apptainer runs outside (its clients and the keeper of the
 * instance) carry the sandbox's directory in their environment; those inside share a pid namespace (pid_namespaces(7)),
 * and all of them end with its first one.
 */
import { type FileHandle, open, readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkTables } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';
import type { Cgroup } from './cgroup.ts';

const maxRounds = 200;
const pauseMs = 15;
const maxSweeps = 50;
const clientMs = 20_000;

/** A process inside, by the number that it has there and the ticks at its start (proc_pid_stat(5)). */
export interface Inside {
  readonly pid: number;
  readonly born: string;
}

/** The pid namespace of a process; `null` when the process is gone, or this account may not look into it. */
export async function readNamespace(pid: number): Promise<string | null> {
  return await unlessGone(() => readlink(`/proc/${pid}/ns/pid`));
}

/** The text of the kernel (proc_pid_status(5)); `null` when the process is gone. */
export async function readStatus(pid: number): Promise<string | null> {
  return await unlessGone(() => readFile(`/proc/${pid}/status`, 'latin1'));
}

/** Interfaces and routes of the network namespace of the process; `null` when the process is gone. */
export async function readNetwork(pid: number): Promise<NetworkTables | null> {
  const table = (name: string): Promise<string | null> =>
    unlessGone(() => readFile(`/proc/${pid}/net/${name}`, 'latin1'));
  const [devices, routes, routes6] = await Promise.all([table('dev'), table('route'), table('ipv6_route')]);
  return devices === null || routes === null ? null : { devices, routes, routes6: routes6 ?? '' };
}

/** Whether a filter of system calls applies to the process. */
export async function isFiltered(pid: number): Promise<boolean> {
  return /^Seccomp:\s+2$/m.test((await readStatus(pid)) ?? '');
}

export async function findMembers(namespace: string): Promise<readonly number[]> {
  const found = await Promise.all(
    (await pids()).map(async (pid) => ((await readNamespace(pid)) === namespace ? [pid] : [])),
  );
  return found.flat();
}

/** The number on the host of a process inside; `null` when it is gone. */
export async function hostPid(namespace: string, { pid, born }: Inside): Promise<number | null> {
  for (const candidate of await findMembers(namespace)) {
    const [status, stat] = await Promise.all(
      ['status', 'stat'].map((file) => unlessGone(() => readFile(`/proc/${candidate}/${file}`, 'latin1'))),
    );
    const inside = /^NSpid:.*\s(\d+)$/m.exec(status ?? '')?.[1];
    const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    if (inside === String(pid) && started === born) return candidate;
  }
  return null;
}

/**
 * Puts every process inside into the sandbox's control group. Children of a placed one are born there; so a look that
 * finds none outside is the last one.
 */
export async function placeAll(namespace: string, cgroup: Cgroup): Promise<void> {
  for (let sweep = 0; sweep < maxSweeps; sweep += 1) {
    const placed = await cgroup.members();
    const outside = (await findMembers(namespace)).filter((pid) => !placed.has(pid));
    const strays = (await Promise.all(outside.map(async (pid) => ((await isDead(pid)) ? [] : [pid])))).flat();
    if (strays.length === 0) return;
    for (const pid of strays) await cgroup.place(pid);
  }
  throw new CaissonError('unavailable', 'the processes of the sandbox multiply faster than they can be limited');
}

/** One that is not reaped yet is in no group, and cannot be put into one. */
async function isDead(pid: number): Promise<boolean> {
  const state = await readState(pid);
  return state === null || /[ZX]/.test(state);
}

/**
 * Waits for the client whose child in the container has said something. Before a client of Apptainer waits for its child,
 * it makes sure that both are of one process group, and ends both when they are not: until then, the child must not take
 * a session of its own. From that check on it sleeps. (starter.c: chdir_to_proc_pid, wait_child.)
 */
export async function settled(client: number): Promise<void> {
  const until = performance.now() + clientMs;
  while (performance.now() < until) {
    const state = await readState(client);
    if (state === null || /[SZX]/.test(state)) return; // One that has ended tells it by its streams.
    await sleep(1);
  }
  throw new CaissonError('unavailable', `the client of Apptainer does not get ready within ${clientMs / 1000} s`, {
    remedy: 'look what keeps the host that busy, and try again',
  });
}

/** The state of a process, which is one letter in proc_pid_stat(5). `null` when the process is gone. */
async function readState(pid: number): Promise<string | null> {
  const stat = await unlessGone(() => readFile(`/proc/${pid}/stat`, 'latin1'));
  return stat?.charAt(stat.lastIndexOf(')') + 2) ?? null;
}

/** Ends everything outside and inside. Throws `unavailable` when something outlives SIGKILL. */
export async function endAll(directory: string): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const carriers = await findCarriers(directory);
    if (carriers.length === 0) return;
    await endWithNamespaces(carriers);
    await sleep(pauseMs);
  }
  throw new CaissonError('unavailable', `processes of the sandbox in ${directory} outlive SIGKILL`, {
    remedy: 'they hang in the kernel: end them by hand, then remove the sandbox again',
  });
}

/**
 * The number of a namespace is given to the next one as soon as its last process is gone: it is held, so that no one else
 * else's processes are taken for members.
 */
async function endWithNamespaces(carriers: readonly number[]): Promise<void> {
  const holds = (await Promise.all(carriers.map(holdNamespace))).filter((hold) => hold !== null);
  try {
    const held = await Promise.all(holds.map(nameOf));
    const own = await readNamespace(process.pid);
    for (const pid of carriers) kill(pid);
    for (const namespace of new Set(held))
      if (namespace !== own) for (const pid of await findMembers(namespace)) kill(pid);
  } finally {
    await Promise.all(holds.map((hold) => hold.close()));
  }
}

/** `null` when the process is gone, or not ours to see. */
async function holdNamespace(pid: number): Promise<FileHandle | null> {
  return await unlessGone(() => open(`/proc/${pid}/ns/pid`));
}

/** The name of a held pid namespace, in the form of `readNamespace`. */
async function nameOf(hold: FileHandle): Promise<string> {
  return await readlink(`/proc/self/fd/${hold.fd}`);
}

/** Whether the process carries the directory in the environment that it was started with. */
export async function carries(pid: number, directory: string): Promise<boolean> {
  const environ = await unlessGone(() => readFile(`/proc/${pid}/environ`));
  return environ?.includes(directory) === true;
}

async function findCarriers(directory: string): Promise<readonly number[]> {
  const found = await Promise.all(
    (await pids()).map(async (pid) => (pid !== process.pid && (await carries(pid, directory)) ? [pid] : [])),
  );
  return found.flat();
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw systemError(error, 'send SIGKILL');
  }
}

async function pids(): Promise<readonly number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

async function unlessGone<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return null;
    throw systemError(error, 'look at the processes of the host');
  }
}
