/** The backends by name, each loaded when it is first used. */
import type { Backend, OpenOptions } from '../src/backend.ts';

export interface BackendModule {
  /** Does no I/O. */
  open(options: OpenOptions): Backend;
}

export const backends: Readonly<Record<string, () => Promise<BackendModule>>> = {
  docker: () => import('./docker/backend.ts'),
  local: () => import('./local/backend.ts'),
  singularity: () => import('./singularity/backend.ts'),
  ssh: () => import('./ssh/backend.ts'),
};

/** `Guarantees.isolation` of each, for judging a command without asking the place. */
export const isolation: Readonly<Record<string, 'none' | 'remote-host' | 'container' | 'vm'>> = {
  local: 'none',
  ssh: 'remote-host',
  docker: 'container',
  singularity: 'container',
  modal: 'container',
  daytona: 'container',
};
