/** What is known of a sandbox, what its place says of it now, and what this process found out about it. */
import type { Cancelable } from '../backend.ts';
import type { Context } from './context.ts';
import { findRow } from './end.ts';
import { attachIfThere } from './finish.ts';
import { endsOf } from './expiry.ts';
import { measured } from './measure.ts';
import type { Inspected } from './types.ts';
import { viewOf } from './view.ts';

export async function inspectSandbox(context: Context, task: string, options: Cancelable): Promise<Inspected> {
  const row = await findRow(context, task);
  const backend = await context.backend(row.backend);
  const { isolation } = await backend.guarantees(options);
  const sandbox = row.ref === null ? null : await attachIfThere(backend, row.ref, options);
  const effective = sandbox?.state === 'running' ? await measured(context, row, sandbox) : row.effective;
  return {
    ...viewOf({ ...row, effective }, sandbox?.place ?? null, context.clock),
    resource: sandbox?.state ?? 'gone',
    endsBy: endsOf(row, context.clock, { stops: isolation !== 'none' }),
    noLanes: context.live.get(row.id)?.noLanes ?? null,
  };
}
