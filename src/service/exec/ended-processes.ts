/** Which detached processes have ended, as their sandboxes report. */
import { listProcesses } from '../../exec/detached/list.ts';
import type { Context } from '../../sandbox/context.ts';
import { keptIn, presentSandbox } from '../../sandbox/present.ts';
import type { ExecRow } from '../../store/store.ts';

/** A start takes no longer, by the clock of the store; until then the sandbox may not know the process yet. */
const startingMs = 120_000;
const lookMs = 10_000;

/** One whose sandbox cannot be asked now is not among them. */
export async function endedAmong(context: Context, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await Promise.all(ids.map((id) => context.store.execs.find(id)));
  const bySandbox = Map.groupBy(
    rows.filter((row) => row !== null),
    ({ sandboxId }) => sandboxId,
  );
  const ended = [...bySandbox].map(([sandboxId, there]) => endedIn(context, sandboxId, there).catch(() => []));
  return (await Promise.all(ended)).flat();
}

async function endedIn(context: Context, sandboxId: string, rows: readonly ExecRow[]): Promise<readonly string[]> {
  const states = await statesIn(context, sandboxId);
  const young = context.store.steadyNow() - startingMs;
  const isRunning = ({ id, startedAt }: ExecRow): boolean =>
    states !== null && (states.has(id) ? states.get(id) === 'running' : startedAt > young);
  return rows.filter((row) => !isRunning(row)).map(({ id }) => id);
}

/** `null` for a sandbox that does not run: its processes ended with it. */
async function statesIn(context: Context, sandboxId: string): Promise<ReadonlyMap<string, string> | null> {
  const signal = AbortSignal.timeout(lookMs);
  const row = await context.store.sandboxes.find(sandboxId);
  const sandbox = row === null ? null : await presentSandbox(context, row, { signal });
  if (row === null || sandbox === null) return null;
  const processes = await listProcesses(await keptIn(context, row, sandbox, signal));
  return new Map(processes.map(({ id, state }) => [id, state]));
}
