/** The sandbox in which an agent works, with the project in it at the path that it has on this host. */
import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { CaissonError, isCode } from '../errors.ts';
import type { CaissonApi, Options, SandboxRequest } from '../service/api.ts';
import { syncProject } from './project.ts';
import type { AcpSettings, EditMode, Workplace } from './types.ts';

export interface OpenWorkplace {
  readonly place: Workplace;
  /** True when the project cannot be bound: its files travel at both ends of each turn. */
  readonly synced: boolean;
}

/** Each project has a task of its own, the same one in the next connection. */
export function taskOfProject(project: string): string {
  const name = basename(project)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 40);
  return `acp-${name === '' ? 'root' : name}-${hash('sha256', project).slice(0, 8)}`;
}

/** Throws `not_found` for a directory that is not there. */
export function realProject(directory: string): string {
  try {
    return realpathSync(directory);
  } catch (cause) {
    throw new CaissonError('not_found', `there is no directory ${JSON.stringify(directory.slice(0, 256))}`, { cause });
  }
}

/** `sync`: copies even where the project could be bound. Throws as `sandboxes.create` does. */
export async function openWorkplace(
  api: CaissonApi,
  { project, request, sync }: { readonly project: string; readonly request: SandboxRequest; readonly sync: boolean },
  options: Options,
): Promise<OpenWorkplace> {
  const taskId = request.taskId ?? taskOfProject(project);
  const place = { api, taskId, project };
  if (!sync && (await isBound(api, { ...request, taskId, project: true }, options))) return { place, synced: false };
  await api.sandboxes.create({ ...request, taskId }, options);
  const signal = options.signal ?? new AbortController().signal;
  await api.run({ taskId, existing: true, command: ['mkdir', '-p', '--', project], cwd: '/' }, options);
  const conflicts = await syncProject(place, 'in', signal);
  if (conflicts !== null)
    throw new CaissonError('conflict', conflicts, { remedy: 'take another --task, or remove its sandbox' });
  return { place, synced: true };
}

/** False where the backend binds no directory of this host; nothing has been made then. */
async function isBound(api: CaissonApi, request: SandboxRequest, options: Options): Promise<boolean> {
  try {
    const { sandbox } = await api.sandboxes.create(request, options);
    return !sandbox.degraded.some(({ control }) => control === 'mounts');
  } catch (error) {
    if (isCode(error, 'not_supported') && lacksOnlyMounts(error.details['unmet'])) return false;
    throw error;
  }
}

function lacksOnlyMounts(unmet: unknown): boolean {
  return (
    Array.isArray(unmet) &&
    unmet.length > 0 &&
    unmet.every(
      (each: unknown) => typeof each === 'object' && each !== null && Reflect.get(each, 'control') === 'mounts',
    )
  );
}

const modes: readonly EditMode[] = ['ask', 'session', 'policy'];

/** What the configuration says about questions. What it does not say is asked about. */
export async function settingsOf(api: CaissonApi): Promise<AcpSettings> {
  const values = new Map((await api.config.show()).map(({ key, value }) => [key, value] as const));
  const timeout = values.get('approvals.timeout');
  return {
    edits: modes.find((mode) => mode === values.get('acp.edits')) ?? 'ask',
    timeoutMs: typeof timeout === 'number' ? timeout * 1000 : 60_000,
  };
}
