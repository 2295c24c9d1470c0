/** The allow list of a place that filters by itself: made of the rules of now, and given before a command runs by it. */
import type { PlaceFilter, Sandbox } from '../backend.ts';
import { CaissonError, isCode } from '../errors.ts';
import type { Plan } from '../plan/types.ts';
import type { EgressRow, OwnChange } from '../store/egress.ts';
import { everySandbox } from '../store/every-sandbox.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';
import { isFilteredByPlace, type PlaceList } from '../egress/way-out.ts';
import { attachIfThere } from './finish.ts';
import { forgetLive } from './live.ts';

/** `null`: its network is not filtered, or has a door. */
export async function listOf(context: Context, row: SandboxRow): Promise<PlaceList | null> {
  return isFilteredByPlace(row) ? await context.filters.list(row, await filterOf(context, row.backend)) : null;
}

/** Before anything is made, or removed for it. */
export async function checkFilter(context: Context, plan: Plan, id: string | null): Promise<void> {
  if (!isFilteredByPlace(plan)) return;
  const { taskId, spec } = plan;
  await context.filters.check({ taskId, backend: spec.backend, id }, await filterOf(context, spec.backend));
}

/** The rules of now hold when this resolves; nearly free where this process has given them. */
export async function keepFilter(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<void> {
  if (!isFilteredByPlace(row)) return;
  const given = context.filters.given.get(row.id);
  if (given === undefined || !(await context.filters.isCurrent(row, given))) await give(context, row, sandbox);
}

/** Keeps the filter of a sandbox known from before. False: the place has ended it meanwhile, and its handle is dropped. */
export async function isKept(context: Context, row: SandboxRow, known: Sandbox): Promise<boolean> {
  try {
    await keepFilter(context, row, known);
    return true;
  } catch (error) {
    if (!isCode(error, 'not_found') && !isCode(error, 'failed_precondition')) throw error;
    forgetLive(context, row.id);
    return false;
  }
}

const mostTries = 5;

/** Another process may give another list meanwhile: the last one that was given is then that of now. */
async function give(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<void> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    context.filters.given.delete(row.id);
    const list = await listOrNothing(context, row, sandbox);
    await replaceHosts(sandbox, list.hosts);
    context.filters.given.set(row.id, list);
    if (await context.filters.isCurrent(row, list)) return;
  }
  throw new CaissonError('unavailable', `the network rules of ${row.taskId} change all the time`, {
    remedy: 'try again',
  });
}

/** What cannot be said any more must not stay as it was said before: then nothing is let out. */
async function listOrNothing(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<PlaceList> {
  const filter = await filterOf(context, row.backend);
  try {
    return await context.filters.list(row, filter);
  } catch (error) {
    if (isCode(error, 'not_supported')) await replaceHosts(sandbox, []);
    throw error;
  }
}

async function replaceHosts(sandbox: Sandbox, hosts: readonly string[]): Promise<void> {
  if (sandbox.egress !== undefined) return await sandbox.egress.replace(hosts);
  throw new CaissonError('not_supported', 'the place cannot change what this sandbox may reach', {
    remedy: 'make it anew: --recreate',
  });
}

/** Throws as `Filters.check` does, and then nothing has changed. Else the change holds when this resolves. `null`: there are no rules. */
export async function changeFilter(context: Context, row: SandboxRow, change: OwnChange): Promise<EgressRow | null> {
  await context.filters.check(row, await filterOf(context, row.backend), change);
  const changed = await context.doors.change(row, change);
  if (changed !== null) await keepIfRunning(context, row);
  return changed;
}

/** Takes up what the configuration says now, for all that run. One that fails does not keep the others. */
export async function refreshNetworks(context: Context): Promise<void> {
  await context.doors.refresh();
  const failures: unknown[] = [];
  for await (const row of everySandbox(context.store.sandboxes, { state: 'ready' }))
    if (isFilteredByPlace(row)) await keepIfRunning(context, row).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** One that does not run is given its list when it is started. */
async function keepIfRunning(context: Context, row: SandboxRow): Promise<void> {
  if (row.state !== 'ready' || row.ref === null) return;
  const known = context.live.get(row.id);
  if (known !== undefined && (await isKept(context, row, known))) return;
  const sandbox = await attachIfThere(await context.backend(row.backend), row.ref);
  if (sandbox?.state === 'running') await keepFilter(context, row, sandbox);
}

async function filterOf(context: Context, backend: string): Promise<PlaceFilter> {
  const { filter } = await (await context.backend(backend)).guarantees();
  if (filter !== undefined) return filter;
  throw new CaissonError('not_supported', `${backend} does not filter networks by itself any more`, {
    remedy: 'make the sandbox anew: --recreate',
  });
}
