/** Which controls someone set, as opposed to those that only come from the defaults. */
import { backendKey } from '../config/backends.ts';
import { defaultSizes } from '../config/defaults.ts';
import type { TaskTerminal, Terminal } from '../config/types.ts';
import { keyNamed, valueOf } from './backend-keys.ts';
import { limitNames } from './limits.ts';
import type { SandboxRequest } from './types.ts';

/** Key under `terminal` that sets a control, for all backends. Index: name of the control. */
export const controlSettings: Readonly<Record<string, string>> = {
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

interface Where {
  readonly task: TaskTerminal;
  /** The network that is configured for all backends. */
  readonly mode: string | null;
  /** `network.open_private` */
  readonly openPrivate: boolean | null;
  readonly backend: string;
}

export function askedControls(
  request: SandboxRequest,
  { task, mode, openPrivate, backend }: Where,
): ReadonlySet<string> {
  const keys = [
    ...Object.entries(controlSettings),
    ...Object.entries(ownKeys).map(([control, key]) => [control, backendKey(backend, key)] as const),
  ];
  const configured = keys.filter(([, key]) => isSet(task, key)).map(([control]) => control);
  const network = [...(mode === null ? [] : ['network']), ...(openPrivate === false ? ['open_private'] : [])];
  return new Set([...configured, ...network, ...requested(request)]);
}

function isSet(task: TaskTerminal, key: string): boolean {
  const known = keyNamed(task.terminal, key);
  const origin = known === null ? 'default' : task.originOf(known);
  return origin !== 'default' && !isUsualSize(task.terminal, { key, origin });
}

/**
 * Files that spell the default sizes out are common, and would fail wherever the engine cannot hold one of them, such as disk
 * limits on ext4: in a file they count as defaults. A switch, a flag or a request is a demand in any case.
 */
function isUsualSize(terminal: Terminal, { key, origin }: { readonly key: string; readonly origin: string }): boolean {
  const isOfFile = /^(?:file|task) /.test(origin);
  return isOfFile && Object.hasOwn(defaultSizes, key) && defaultSizes[key] === valueOf(terminal, key);
}

/** Controls that the request names. */
export function requested(request: SandboxRequest): readonly string[] {
  const limits = limitNames.filter((name) => request.limits?.[name] !== undefined);
  const others = (['network', 'persistent', 'image'] as const).filter((name) => request[name] !== undefined);
  return [...limits, ...others, ...(request.project === true ? ['mounts'] : [])];
}
