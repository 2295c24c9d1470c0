/** What the processes of the bench of the pool share: its entry, and a request that its members fit. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CaissonApi, SandboxRequest } from '../src/service/api.ts';
import { openPlace, type BenchPlace } from './place.ts';

export async function openPooled(image: string, size: number): Promise<BenchPlace> {
  const entry = { backend: 'docker', image, persistent: true, network: 'none', disk: null, size };
  return await openPlace(image, `pool: {entries: {bench: ${JSON.stringify(entry)}}}\n`);
}

export function pooledRequest(image: string): SandboxRequest {
  return { backend: 'docker', image, persistent: true, network: 'none', limits: { diskBytes: null } };
}

/** Resolves when as many members are ready as the entry wants. */
export async function untilReady({ pool }: Pick<CaissonApi, 'pool'>): Promise<void> {
  while ((await pool.list()).some(({ ready, size }) => ready < size)) await sleep(50);
}
