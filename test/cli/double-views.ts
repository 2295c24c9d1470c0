/** A sandbox of the double, as far as all of them are alike, and the page of its limits. */
import type { SandboxLimits, SandboxView } from '../../src/service/api.ts';
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
