/** Takes a member of the pool for a task, and makes it ready for its first command. */
import type { Sandbox } from '../backend.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { Plan } from '../plan/types.ts';
import type { Claims, Context, Handle, StepOptions } from '../sandbox/context.ts';
import { askedOf, keepsFiles, quotaFor } from '../sandbox/create.ts';
import { keptSandboxId, makeDirectory } from '../sandbox/directory.ts';
import { attachIfThere, finish } from '../sandbox/finish.ts';
import { keepLive } from '../sandbox/live.ts';
import { usedNow } from '../sandbox/use.ts';
import { volumesMissed } from '../sandbox/volumes.ts';
import type { Claim } from '../store/pool.ts';
import type { SandboxRow } from '../store/store.ts';
import type { PoolMiss } from '../values/caller.ts';
import { memberKey } from './key.ts';
import { missOf } from './misses.ts';
import { ClaimTally } from './tally.ts';

/** Members that ended in the pool are removed on the way; a caller does not wait for more of them. */
const mostDead = 3;

interface ClaimParts {
  readonly context: () => Context;
  /** Whether any entry is configured: without one, a creation costs nothing more. */
  readonly isConfigured: () => boolean;
  /** A member may be missing now. */
  readonly onClaim: () => void;
}

export class PoolClaims implements Claims {
  readonly tally = new ClaimTally();
  readonly #parts: ClaimParts;

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  async claim(plan: Plan, options: StepOptions): Promise<Handle | null> {
    if (!this.#parts.isConfigured()) return null;
    const begun = performance.now();
    const claimed = await claimFor(this.#parts.context(), plan);
    const isMiss = typeof claimed === 'string';
    options.onTimed?.(isMiss ? `pool-${claimed}` : 'pool', performance.now() - begun);
    if (isMiss) this.tally.miss(claimed);
    else this.tally.hits += 1;
    this.#parts.onClaim();
    return isMiss ? null : claimed;
  }
}

async function claimFor(context: Context, plan: Plan): Promise<Handle | PoolMiss> {
  const miss = missOf(plan, context.registries) ?? ((await hasFiles(context, plan)) ? 'files' : null);
  if (miss !== null) return miss;
  for (let dead = 0; dead < mostDead; dead += 1) {
    const row = await context.store.pool.claim(claimOf(context, plan));
    if (row === null) return dead === 0 ? 'empty' : 'dead';
    await failpoint('after-claim');
    const handle = await readied(context, plan, row);
    if (handle !== null) return handle;
  }
  return 'dead';
}

/** Files of an earlier sandbox of the task are in a directory that no member has. */
async function hasFiles({ home }: Context, plan: Plan): Promise<boolean> {
  if (!keepsFiles(plan)) return false;
  return (await keptSandboxId({ home, backend: plan.spec.backend }, plan.taskId)) !== null;
}

function claimOf(context: Context, plan: Plan): Claim {
  const becomes = askedOf(context, plan);
  return { key: memberKey(plan), first: [...context.live.keys()], becomes, quota: quotaFor(context, becomes) };
}

/** `null`: it did not run any more, and is removed. */
async function readied(context: Context, plan: Plan, row: SandboxRow): Promise<Handle | null> {
  try {
    const sandbox = await liveOf(context, row);
    if (sandbox !== null) return await given(context, plan, { row, sandbox });
  } catch (error) {
    await finish(context, row, { keepFiles: true });
    throw error;
  }
  await finish(context, row, { keepFiles: true });
  return null;
}

/** The handle with the lanes of this process, which has found it running; else the place is asked. */
async function liveOf(context: Context, row: SandboxRow): Promise<Sandbox | null> {
  const known = context.live.get(row.id);
  if (known !== undefined) {
    known.standsBy = false;
    return known;
  }
  const sandbox = row.ref === null ? null : await attachIfThere(await context.backend(row.backend), row.ref);
  return sandbox?.state === 'running' ? keepLive(context, row, sandbox) : null;
}

async function given(
  context: Context,
  plan: Plan,
  { row, sandbox }: { readonly row: SandboxRow; readonly sandbox: Sandbox },
): Promise<Handle> {
  const place = { home: context.home, backend: row.backend };
  if (row.directory !== null) await makeDirectory(place, row.taskId, row.id);
  await failpoint('after-link');
  if (!(await context.wayOut.keep(row, sandbox))) await context.wayOut.restore(sandbox);
  const degraded = [...plan.degraded, ...volumesMissed(plan, sandbox)];
  const patch = { state: 'ready', degraded, ...usedNow(context.clock) } as const;
  await context.store.sandboxes.update(row.id, patch);
  await failpoint('after-ready');
  return { row: { ...row, ...patch }, sandbox, how: 'created', lostSince: null };
}
