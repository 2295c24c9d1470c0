/** A sandbox of the double, as far as all of them are alike, and the page of its limits. */
import type { SandboxLimits, SandboxUse, SandboxView, Stats } from '../../src/service/api.ts';
import { ownerOf } from '../../src/values/owner.ts';
import { spec } from './double-data.ts';

export const defaultView: Omit<
  SandboxView,
  'id' | 'taskId' | 'backend' | 'state' | 'name' | 'generation' | 'createdAt' | 'usedAt' | 'expiresAt'
> = {
  place: null,
  spec,
  fingerprint: 'f1',
  effective: null,
  degraded: [
    { control: 'diskBytes', wanted: 1024, reason: 'overlay2 on ext4 has no quota', asked: true },
    { control: 'pids', wanted: 64, reason: 'the kernel counts no processes', asked: false },
  ],
  lostSince: null,
  directory: null,
  ephemeral: false,
  labels: {},
  idleTimeoutMs: null,
  lifetimeMs: null,
};

/** Limits of a sandbox in which only the number of processes is limited. */
export const limitsPage: SandboxLimits = {
  taskId: 'build',
  sandboxId: 'sbx_build',
  backend: 'docker',
  isolation: 'container',
  limits: [{ name: 'pids', wanted: 64, effective: 64, standing: 'measured', why: null }],
  network: { mode: 'none', standing: 'measured', why: null },
  readOnly: [],
  cwd: '/workspace',
  idleTimeoutMs: null,
  lifetimeMs: null,
  commandTimeoutMs: 1_500,
  endsBy: [],
  kept: 'directories',
};

/** Places of the backend local do not tell what they use. */
export async function topOf(
  views: Iterable<SandboxView>,
  read: (task: string) => Promise<Stats>,
): Promise<readonly SandboxUse[]> {
  return await Promise.all(
    Array.from(views, async ({ taskId, id: sandboxId, backend, state, usedAt, expiresAt }) => ({
      taskId,
      sandboxId,
      backend,
      state,
      usedAt,
      expiresAt,
      owner: ownerOf(taskId),
      diskBytes: null,
      last: null,
      ...(backend === 'local'
        ? { stats: null, why: 'its backend has no usage figures', cpuCores: null }
        : { stats: await read(taskId), why: null, cpuCores: 0.25 }),
    })),
  );
}
