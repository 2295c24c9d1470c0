/** Members that another process has given to a task: the handles of this process, and their lanes, are in its way. */
import type { Context } from '../sandbox/context.ts';
import { forgetLive } from '../sandbox/live.ts';
import { isMember } from '../values/member.ts';

export async function forgetTaken(context: Context): Promise<void> {
  for (const [id, { standsBy }] of context.live) {
    if (!standsBy) continue;
    const row = await context.store.sandboxes.find(id);
    if (row === null || !isMember(row.taskId)) forgetLive(context, id);
  }
}
