import type { Sandbox } from '../../backend.ts';
import { CaissonError, isCode, toCaissonError } from '../../errors.ts';
import type { KillReport } from './report.ts';

/** Container runtimes need about this many free places in a process table to start one command. */
const placesToStart = 16;

/** The row of the sandbox, and every handle of it, would have to learn the new ref in the middle of a command. */
const onRef = async (): Promise<never> => {
  throw new CaissonError('not_supported', 'it is another resource after a restart');
};

/**
 * Stops and starts a sandbox in which no command could be started because its process table was full: the only way left
 * to end what fills it. `null` when the place cannot.
 */
export async function restart({ power }: Pick<Sandbox, 'power'>): Promise<KillReport | null> {
  if (power === undefined) return null;
  try {
    await power.stop({ signal: AbortSignal.timeout(30_000), onRef });
    await power.start({ signal: AbortSignal.timeout(30_000), onRef });
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

/** Asked right after a failure: what fills the table dies and is born again, so that a moment later there may be room. */
export async function isFull(sandbox: Pick<Sandbox, 'stats'>, failure: CaissonError): Promise<boolean> {
  if (isCode(failure, 'resource_exhausted')) return true;
  try {
    const stats = await sandbox.stats?.read({ signal: AbortSignal.timeout(5000) });
    if (stats === undefined || stats.pids === null || stats.pidsLimit === null) return false;
    return stats.pidsLimit - stats.pids < placesToStart;
  } catch {
    // A failed reading proves nothing, and a restart without proof would harm neighbours.
    return false;
  }
}
