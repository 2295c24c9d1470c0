/** Rows and specs for tests of the lifecycle. */
import type { Spec } from '../../src/backend.ts';
import type { SandboxRow } from '../../src/store/store.ts';

export const spec: Spec = {
  backend: 'fake',
  image: 'busybox:latest',
  limits: { cpuCores: 1, memoryBytes: 64 * 2 ** 20, diskBytes: null, pids: 64 },
  network: 'none',
  persistent: true,
  cwd: '/workspace',
  mounts: [],
  hardening: { readOnlyRoot: false, seccomp: 'builtin', runtime: null, shmBytes: null, user: 'root' },
};

export function row(patch: Partial<SandboxRow> = {}): SandboxRow {
  return {
    id: 'sbx_aaaaaaaaaaaaaaaa',
    taskId: 'demo',
    backend: 'fake',
    name: 'caisson-test-aaaaaaaaaaaaaaaa',
    spec,
    configured: spec,
    fingerprint: 'f'.repeat(32),
    state: 'ready',
    ref: { v: 1, id: 'x' },
    directory: null,
    degraded: [],
    effective: null,
    generation: 1,
    ephemeral: false,
    createdAt: 1_000,
    usedAt: 2_000,
    createdBoot: null,
    usedBoot: null,
    endedBy: null,
    lostSince: null,
    idleMs: null,
    ttlMs: null,
    labels: {},
    pool: null,
    ...patch,
  };
}
