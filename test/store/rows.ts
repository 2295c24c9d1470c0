/** Rows to store in tests. */
import { randomBytes } from 'node:crypto';
import type { Spec } from '../../src/backend.ts';
import type { ApprovalRow, GrantRow, SandboxRow } from '../../src/store/store.ts';

export const spec: Spec = {
  backend: 'docker',
  image: 'debian:12',
  limits: { cpuCores: 0.5, memoryBytes: 5120 * 1024 * 1024, diskBytes: null, pids: 256 },
  network: 'none',
  persistent: true,
  cwd: '/workspace',
  mounts: [{ source: '/srv/project', target: '/workspace', readOnly: false }],
  hardening: { readOnlyRoot: true, seccomp: 'builtin', runtime: 'runsc', shmBytes: 64 * 1024 * 1024, user: 'host' },
};

export function newRow(over: Partial<SandboxRow> = {}): SandboxRow {
  const unique = randomBytes(8).toString('hex');
  return {
    id: `sbx_${unique}`,
    taskId: `task-${unique}`,
    backend: 'docker',
    name: `caisson-${unique}`,
    spec,
    configured: spec,
    fingerprint: 'f'.repeat(32),
    state: 'creating',
    ref: null,
    directory: null,
    degraded: [],
    effective: null,
    generation: 1,
    ephemeral: false,
    createdAt: 1_700_000_000_000,
    usedAt: 1_700_000_000_000,
    createdBoot: null,
    usedBoot: null,
    endedBy: null,
    lostSince: null,
    idleMs: 300_000,
    ttlMs: null,
    labels: {},
    pool: null,
    ...over,
  };
}

export function newApproval(patch: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    id: `apr_${randomBytes(12).toString('hex')}`,
    binding: randomBytes(32).toString('hex'),
    taskId: 'build',
    question: { display: 'rm -rf build', findings: [{ rule: 'D1' }] },
    state: 'pending',
    choice: null,
    answeredBy: null,
    askedBy: null,
    createdAt: Date.now(),
    ...patch,
  };
}

export function newGrant(patch: Partial<GrantRow> = {}): GrantRow {
  return {
    id: `grt_${randomBytes(12).toString('hex')}`,
    taskId: 'build',
    rules: randomBytes(32).toString('hex'),
    keys: ['D1'],
    covers: ['recursive delete'],
    grantedBy: 'somebody on a terminal',
    createdAt: Date.now(),
    expiresAt: null,
    ...patch,
  };
}
