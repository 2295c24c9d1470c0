/** Names and labels of a sandbox, fixed before anything exists in its place. */
import { hash, randomInt } from 'node:crypto';
import type { Labels } from '../backend.ts';
import type { SandboxRow } from '../store/store.ts';
import { isMember } from '../values/member.ts';

export const labelSchema = '1';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

export function newSandboxId(): string {
  return `sbx_${Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}

/** Most characters of a task that a name shows: together with the other parts it fits the 63 of a host name (RFC 1123). */
const shownTaskUnits = 24;

/**
 * For people who look at the engine: the task is in it, and labels are what counts. Fixed before the resource exists, so that a lost
 * answer to `create` is found again by name; legal as container and host name.
 */
export function resourceName(instance: string, { id, taskId }: Pick<SandboxRow, 'id' | 'taskId'>): string {
  const task = isMember(taskId) ? pooled : taskId.slice(0, shownTaskUnits).replaceAll(/[^a-z0-9]+/g, '-');
  return `caisson-${instance.slice(0, 8)}-${task}-${id.replace('sbx_', '')}`;
}

/** The most characters that the value of a label may have: see `Labels`. */
const maxLabelUnits = 63;

/** What stands for the task of a member of the pool, also after a task has claimed it. */
const pooled = 'pool';

/** The task, or of one that is too long, with the name of its owner, as much as fits and a digest of the whole. */
function taskLabel(taskId: string): string {
  if (isMember(taskId)) return pooled;
  if (taskId.length <= maxLabelUnits) return taskId;
  return `${taskId.slice(0, maxLabelUnits - 17)}.${hash('sha256', taskId).slice(0, 16)}`;
}

export function labelsOf(instance: string, row: SandboxRow): Labels {
  return {
    instance,
    sandbox: row.id,
    task: taskLabel(row.taskId),
    fingerprint: row.fingerprint,
    created: new Date(row.createdAt).toISOString(),
    schema: labelSchema,
  };
}
