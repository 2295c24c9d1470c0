import { endOf } from '../../values/outcome.ts';
import type { DetachedProcess } from './types.ts';

/** The row of a sandbox whose processes cannot be read. */
export function unreadable(sandboxId: string): Omit<DetachedProcess, 'state'> & { readonly state: 'unreadable' } {
  return {
    ...endOf(null),
    id: sandboxId,
    state: 'unreadable',
    pid: null,
    command: [],
    reason: null,
    startedAt: null,
    endedAt: null,
    durationMs: null,
    supervised: true,
    truncated: { stdout: false, stderr: false },
    backgroundOpen: false,
    inputOpen: false,
  };
}
