/** The backends by name: what is known of each from the start, and its implementation, loaded when it is first used. */
import type { BackendEntry } from '../src/backend.ts';
import { config as daytona } from './daytona/config.ts';
import { config as docker } from './docker/config.ts';
import { config as kubernetes } from './kubernetes/config.ts';
import { config as local } from './local/config.ts';
import { config as modal } from './modal/config.ts';
import { config as singularity } from './singularity/config.ts';
import { config as ssh } from './ssh/config.ts';

/** `terminal.backend`, unless the configuration says otherwise. */
export const usual = 'docker';

export const backends: Readonly<Record<string, BackendEntry>> = {
  daytona: { isolation: 'container', config: daytona, load: () => import('./daytona/backend.ts') },
  docker: { isolation: 'container', config: docker, load: () => import('./docker/backend.ts') },
  kubernetes: { isolation: 'container', config: kubernetes, load: () => import('./kubernetes/backend.ts') },
  local: { isolation: 'none', config: local, load: () => import('./local/backend.ts') },
  modal: { isolation: 'container', config: modal, load: () => import('./modal/backend.ts') },
  singularity: { isolation: 'container', config: singularity, load: () => import('./singularity/backend.ts') },
  ssh: { isolation: 'remote-host', config: ssh, load: () => import('./ssh/backend.ts') },
};
