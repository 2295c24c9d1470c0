import type { Spec } from '../../src/backend.ts';

/** A spec that asks for nothing, so that every place can give it. */
export function plainSpec(
  backend: string,
  where: { readonly image?: string; readonly cwd: string; readonly persistent: boolean },
): Spec {
  return {
    backend,
    image: where.image ?? null,
    limits: { cpuCores: null, memoryBytes: null, diskBytes: null, pids: null },
    network: 'open',
    persistent: where.persistent,
    cwd: where.cwd,
    mounts: [],
    hardening: { readOnlyRoot: false, seccomp: 'engine', runtime: null, shmBytes: null, user: 'root' },
  };
}
