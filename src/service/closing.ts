/** The end of Caisson in its order. Each part has its time, and what did not end in it is named. */
import { CaissonError, toCaissonError } from '../errors.ts';
import { settledOrLate } from '../exec/settled.ts';

interface Wait {
  /** What is waited for, in words that can follow "waiting for". */
  readonly what: string;
  readonly ended: Promise<unknown>;
}

/** Begins one part of the end. The next part begins when all of this one has ended, or is waited for no longer. */
export type Stage = () => readonly Wait[];

interface Patience {
  /** A part is given up when nothing of it has ended for so long. */
  readonly patienceMs: number;
  /** Called once for a part that takes a while, with what it waits for. */
  readonly onWaiting?: ((what: readonly string[]) => void) | undefined;
  /** Called before the next part begins without something of this one. */
  readonly onGivenUp: () => void;
}

const quietMs = 3000;

/** Throws `timed_out` for what was given up, and otherwise the first failure; every part has had its turn by then. */
export async function endInOrder(stages: readonly Stage[], patience: Patience): Promise<void> {
  const [left, failures]: [string[], unknown[]] = [[], []];
  for (const stage of stages) {
    const given = await untilStalled(begun(stage, failures), patience);
    if (given.length > 0) patience.onGivenUp();
    left.push(...given);
  }
  if (left.length > 0) throw closeTimeoutError(left, patience.patienceMs, failures[0]);
  if (failures.length > 0) throw toCaissonError(failures[0]);
}

/** Never rejects: a part that fails keeps no other from ending. */
function begun(stage: Stage, failures: unknown[]): readonly Wait[] {
  const fail = (error: unknown): void => void failures.push(error);
  try {
    return stage().map(({ what, ended }) => ({ what, ended: ended.catch(fail) }));
  } catch (error) {
    fail(error);
    return [];
  }
}

/** Names of what has not ended. */
async function untilStalled(waits: readonly Wait[], { patienceMs, onWaiting }: Patience): Promise<readonly string[]> {
  const open = new Set(waits);
  const names = (): readonly string[] => [...open].map(({ what }) => what);
  for (const wait of waits) void wait.ended.then(() => open.delete(wait));
  const tell = setTimeout(() => onWaiting?.(names()), Math.min(quietMs, patienceMs)).unref();
  try {
    while (open.size > 0)
      if (!(await settledOrLate(Promise.race([...open].map(({ ended }) => ended)), patienceMs))) return names();
    return [];
  } finally {
    clearTimeout(tell);
  }
}

const maxNamed = 10;

function closeTimeoutError(left: readonly string[], patienceMs: number, cause: unknown): CaissonError {
  const more = left.length > maxNamed ? `, and ${left.length - maxNamed} more` : '';
  const named = `${left.slice(0, maxNamed).join(', ')}${more}`;
  return new CaissonError('timed_out', `nothing has ended for ${patienceMs / 1000} s of: ${named}`, {
    cause,
    details: { waitedFor: left },
    remedy: 'all else is closed; `caisson gc`, or the next process of the state directory, removes what is left',
  });
}
