import type { Sandbox } from '../../backend.ts';
import type { CaissonError } from '../../errors.ts';
import { isCode, toCaissonError } from '../../errors.ts';
import type { KillReport } from './report.ts';

/** Container runtimes need about this many free places in a process table to start one command. */
const placesToStart = 16;

/**
 * Stops and starts a sandbox in which no command can be started because its process table is full: the only way left to
 * end what fills it. `null` when that is not the case, or the place cannot.
 */
export async function restartWhenFull(sandbox: Sandbox, failures: readonly CaissonError[]): Promise<KillReport | null> {
  const { power } = sandbox;
  if (power === undefined || !(await isFull(sandbox, failures))) return null;
  try {
    await power.stop({ signal: AbortSignal.timeout(30_000) });
    await power.start({ signal: AbortSignal.timeout(30_000) });
  } catch (error) {
    const why = toCaissonError(error).message.slice(0, 200);
    return {
      survivors: null,
      verified: false,
      note: `the process table of the sandbox is full, and restarting it failed: ${why}`,
    };
  }
  return {
    survivors: [],
    verified: true,
    note: 'the sandbox was restarted, since its process table was full and nothing in it could be ended otherwise: all of its processes and temporary files are gone',
  };
}

async function isFull(sandbox: Sandbox, failures: readonly CaissonError[]): Promise<boolean> {
  if (failures.some((failure) => isCode(failure, 'resource_exhausted'))) return true;
  try {
    const stats = await sandbox.stats?.read({ signal: AbortSignal.timeout(5000) });
    if (stats === undefined || stats.pids === null || stats.pidsLimit === null) return false;
    return stats.pidsLimit - stats.pids < placesToStart;
  } catch {
    // Without a reading there is no evidence, and a restart without evidence would harm neighbours.
    return false;
  }
}
