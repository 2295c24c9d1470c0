/** Sandboxes that run, with their ways out kept by the rules of now. */
import type { Sandbox } from '../backend.ts';
import { isCode } from '../errors.ts';
import { isFilteredByPlace } from '../egress/way-out.ts';
import type { EgressRow, OwnChange } from '../store/egress.ts';
import { everySandbox } from '../store/every-sandbox.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';
import { attachIfThere } from './finish.ts';
import { forgetLive } from './live.ts';

export interface Kept {
  readonly sandbox: Sandbox;
  /** Whether this process has held it before, with its lanes. */
  readonly isLive: boolean;
  /** False: see `WayOut.keep`. */
  readonly isOpen: boolean;
}

/** The sandbox of a row that is `ready`. `null`: it does not run, or another verb is at it. */
export async function kept(context: Context, row: SandboxRow): Promise<Kept | null> {
  if (row.state !== 'ready' || row.ref === null) return null;
  const live = context.live.get(row.id);
  if (live !== undefined) {
    try {
      return { sandbox: live, isLive: true, isOpen: await context.wayOut.keep(row, live) };
    } catch (error) {
      // The place has ended it meanwhile, or has made it anew.
      if (!isCode(error, 'not_found') && !isCode(error, 'failed_precondition')) throw error;
      forgetLive(context, row.id);
    }
  }
  const sandbox = await attachIfThere(await context.backend(row.backend), row.ref);
  if (sandbox?.state !== 'running') return null;
  return { sandbox, isLive: false, isOpen: await context.wayOut.keep(row, sandbox) };
}

/** Throws as `WayOut.check` does, and then nothing has changed. Else the change holds when this resolves. `null`: there are no rules. */
export async function changeNetwork(context: Context, row: SandboxRow, change: OwnChange): Promise<EgressRow | null> {
  await context.wayOut.check(row, row.id, change);
  const changed = await context.wayOut.change(row, change);
  // One that does not run is given its list when it is started.
  if (changed !== null && isFilteredByPlace(row)) await kept(context, row);
  return changed;
}

/** Takes up what the configuration says now, for all that run. One that fails does not keep the others. */
export async function refreshNetworks(context: Context): Promise<void> {
  await context.wayOut.refresh();
  const failures: unknown[] = [];
  for await (const row of everySandbox(context.store.sandboxes, { state: 'ready' }))
    if (isFilteredByPlace(row)) await kept(context, row).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
