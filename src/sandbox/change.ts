/** What callers change about a sandbox that is there: its labels and how long it lives. Not what it is made from. */
import { CaissonError } from '../errors.ts';
import type { Plan } from '../plan/types.ts';
import type { Times } from '../plan/times.ts';
import type { SandboxRow } from '../store/store.ts';
import { hasLabels, type Labels, mergedLabels } from '../values/labels.ts';
import type { Context, StepOptions } from './context.ts';
import { findRow, underLease } from './end.ts';
import { usedNow } from './use.ts';

export interface Change {
  /** Merged into those that are there; `null` removes one. */
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly times: Partial<Times>;
}

/** Throws `not_found`, and `invalid_argument` for labels beyond the most. Holds from the next sweep on. */
export async function changeSandbox(
  context: Context,
  task: string,
  { labels = {}, times }: Change,
  options: StepOptions,
): Promise<SandboxRow> {
  await underLease(context, task, options, async (row) => {
    await context.store.sandboxes.update(row.id, { ...times, labels: mergedLabels(row.labels, labels) });
  });
  return await findRow(context, task);
}

/** Written when it resolves, within a use, so that no sweep stops the sandbox meanwhile. */
export async function touchSandbox(context: Context, task: string): Promise<SandboxRow> {
  const row = await findRow(context, task);
  if (row.state !== 'ready' || !(await context.uses.begin(row)))
    throw new CaissonError('failed_precondition', `the sandbox of task ${row.taskId} does not run`, {
      remedy: 'start it, or run a command in it',
      details: { taskId: row.taskId, sandboxId: row.id },
    });
  try {
    await context.store.sandboxes.update(row.id, usedNow(context.clock));
  } finally {
    context.uses.end(row);
  }
  return await findRow(context, task);
}

/** Labels that a new sandbox gets: those of the request, and the one to which the caller's token is bound. */
export function labelsFor({ labels, bound }: Pick<Plan, 'labels' | 'bound'>): Labels {
  return mergedLabels(labels, bound === null ? {} : { [bound.key]: bound.value });
}

/** A request that makes or gets a sandbox holds for one that was there too. Writes only what differs. */
export async function withSaid(
  context: Context,
  { plan, row }: { readonly plan: Plan; readonly row: SandboxRow },
  options: StepOptions,
): Promise<SandboxRow> {
  const { labels, times } = plan;
  const { idleMs = row.idleMs, ttlMs = row.ttlMs } = times;
  if (hasLabels(row.labels, labels) && idleMs === row.idleMs && ttlMs === row.ttlMs) return row;
  return await changeSandbox(context, row.id, { labels, times }, options);
}
