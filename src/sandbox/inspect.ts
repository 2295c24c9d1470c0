/** What is known of a sandbox, what its place says of it now, and what this process found out about it. */
import type { Cancelable, ResourceState } from '../backend.ts';
import type { Context } from './context.ts';
import { findRow } from './end.ts';
import { attachIfThere } from './finish.ts';
import { type End, endsOf } from './expiry.ts';
import { measured } from './measure.ts';
import { type View, viewOf } from './view.ts';

export interface Inspected extends View {
  /** The state that the place tells now. */
  readonly resource: ResourceState | 'gone';
  /** What ends it, the earliest first, as long as nothing is said or used again. Nothing: only a caller does. */
  readonly endsBy: readonly End[];
  /** Why commands of this process go the direct way there; `null` while nothing speaks against lanes. */
  readonly noLanes: string | null;
}

export async function inspectSandbox(context: Context, task: string, options: Cancelable): Promise<Inspected> {
  const row = await findRow(context, task);
  const backend = await context.backend(row.backend);
  const { isolation } = await backend.guarantees(options);
  const sandbox = row.ref === null ? null : await attachIfThere(backend, row.ref, options);
  const effective = sandbox?.state === 'running' ? await measured(context, row, sandbox) : row.effective;
  return {
    ...viewOf({ ...row, effective }, sandbox?.place ?? null),
    resource: sandbox?.state ?? 'gone',
    endsBy: endsOf(row, context.clock, { stops: isolation !== 'none' }),
    noLanes: context.live.get(row.id)?.noLanes ?? null,
  };
}
