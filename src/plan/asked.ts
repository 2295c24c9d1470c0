/** Which controls someone set, as opposed to those that only come from the defaults. */
import { backendKey } from '../config/backends.ts';
import type { TaskTerminal } from '../config/types.ts';
import { keyNamed } from './backend-keys.ts';
import { limitNames } from './limits.ts';
import type { SandboxRequest } from './types.ts';

const sharedKeys: Readonly<Record<string, string>> = {
  cpuCores: 'container_cpu',
  memoryBytes: 'container_memory',
  diskBytes: 'container_disk',
  pids: 'container_pids',
  persistent: 'container_persistent',
  readOnlyRoot: 'container_read_only',
};

/** Their keys carry the name of the backend. */
const ownKeys: Readonly<Record<string, string>> = {
  network: 'network',
  seccomp: 'seccomp',
  runtime: 'runtime',
  shmBytes: 'shm_size',
  user: 'run_as_host_user',
  mounts: 'mount_cwd_to_workspace',
};

export function askedControls(request: SandboxRequest, task: TaskTerminal, backend: string): ReadonlySet<string> {
  const keys = [
    ...Object.entries(sharedKeys),
    ...Object.entries(ownKeys).map(([control, key]) => [control, backendKey(backend, key)] as const),
  ];
  const configured = keys.filter(([, key]) => isSet(task, key)).map(([control]) => control);
  return new Set([...configured, ...requested(request)]);
}

function isSet(task: TaskTerminal, key: string): boolean {
  const known = keyNamed(task.terminal, key);
  return known !== null && task.originOf(known) !== 'default';
}

function requested(request: SandboxRequest): readonly string[] {
  const limits = limitNames.filter((name) => request.limits?.[name] !== undefined);
  const others = (['network', 'persistent', 'image'] as const).filter((name) => request[name] !== undefined);
  return [...limits, ...others];
}
