/** A process with a pool of one entry, over the fake place of `test/sandbox`. */
import type { Plan } from '../../src/plan/types.ts';
import type { Context } from '../../src/sandbox/context.ts';
import { PoolClaims } from '../../src/pool/claim.ts';
import type { Entry } from '../../src/pool/entries.ts';
import { memberKey } from '../../src/pool/key.ts';
import { plan } from '../sandbox/service.ts';

export interface Pooling {
  readonly context: Context;
  readonly claims: PoolClaims;
  readonly entry: Entry;
  /** What a task asks for; a member fits it. */
  readonly asked: Plan;
}

export async function pooling(bare: Context, patch: Partial<Plan> = {}): Promise<Pooling> {
  const holder: { context: Context } = { context: bare };
  const claims = new PoolClaims({
    context: () => holder.context,
    isConfigured: () => true,
    onClaim: () => undefined,
  });
  holder.context = { ...bare, claims };
  const asked = await plan(bare, patch);
  const key = memberKey(asked);
  const own = { taskId: '', fingerprint: key, idleMs: null, ttlMs: 3_600_000, labels: {}, ephemeral: false };
  const wanted = { entry: 'web', key, image: null, size: 2, memoryBytes: null, memberBytes: null };
  return { context: holder.context, claims, asked, entry: { plan: { ...asked, ...own }, wanted } };
}
