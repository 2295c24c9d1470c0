/** Processes that carry the mark of a sandbox in their environment: finding them, and ending them. Linux only. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CaissonError } from '../../src/errors.ts';
import { markName } from './environment.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';

const maxRounds = 40;
const pauseMs = 25;

/** Ends them all, however they re-parented and multiply. Throws `unavailable` when some outlive it. */
export async function endMarked(sandbox: string): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const frozen = await freeze(sandbox);
    if (frozen.size === 0) return;
    for (const pid of frozen) signalMarked(sandbox, pid, 'SIGKILL');
    await sleep(pauseMs);
  }
  const left = await marked(sandbox);
  if (left.length === 0) return;
  throw new CaissonError('unavailable', `${left.length} processes of ${sandbox} outlive SIGKILL`, {
    details: { pids: left.slice(0, 50) },
    remedy: 'they hang in the kernel or belong to another user: end them by hand, then remove the sandbox again',
  });
}

/** Stopped processes start no new ones, so a set that does not grow any more is complete. */
async function freeze(sandbox: string): Promise<ReadonlySet<number>> {
  const frozen = new Set<number>();
  for (let round = 0; round < maxRounds; round += 1) {
    const fresh = (await marked(sandbox)).filter((pid) => !frozen.has(pid));
    if (fresh.length === 0) break;
    for (const pid of fresh) {
      signalMarked(sandbox, pid, 'SIGSTOP');
      frozen.add(pid);
    }
  }
  return frozen;
}

export async function marked(sandbox: string): Promise<readonly number[]> {
  const mark = Buffer.from(`${markName}=${sandbox}`);
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    const pid = /^[0-9]+$/.test(entry) ? Number(entry) : process.pid;
    if (pid !== process.pid && carries(await readEnvironment(pid), mark)) found.push(pid);
  }
  return found;
}

/** Looks again right before it sends: the number may belong to a stranger by now. */
function signalMarked(sandbox: string, pid: number, signal: NodeJS.Signals): void {
  try {
    if (carries(readFileSync(`/proc/${pid}/environ`), Buffer.from(`${markName}=${sandbox}`))) process.kill(pid, signal);
  } catch (error) {
    if (!isUnreadable(error)) throw systemError(error, `send ${signal}`);
  }
}

async function readEnvironment(pid: number): Promise<Buffer> {
  try {
    return await readFile(`/proc/${pid}/environ`);
  } catch (error) {
    if (isUnreadable(error)) return Buffer.alloc(0);
    throw systemError(error, 'look at the processes of the host');
  }
}

/** It has ended meanwhile, or is another user's: not a process of this sandbox either way. */
function isUnreadable(error: unknown): boolean {
  return ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '');
}

/** Whether one whole entry of the NUL-separated list equals the mark. */
export function carries(environ: Buffer, mark: Buffer): boolean {
  for (let at = environ.indexOf(mark); at !== -1; at = environ.indexOf(mark, at + 1)) {
    const after = at + mark.length;
    const starts = at === 0 || environ[at - 1] === 0;
    if (starts && (after === environ.length || environ[after] === 0)) return true;
  }
  return false;
}
