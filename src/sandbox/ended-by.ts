/** Which verb of which process stopped, removed or replaced a sandbox: a command that it ended says so. */
import type { SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';

export function endedBy(verb: string): string {
  return `${verb} (process ${process.pid})`;
}

/** Why a command in this sandbox may have ended other than by itself. `null`: the sandbox is as it was. */
export async function whoEnded({ store }: Context, { id, generation, createdAt }: SandboxRow): Promise<string | null> {
  const row = await store.sandboxes.find(id);
  if (row === null) return 'the sandbox was removed while the command ran';
  const by = row.endedBy === null ? '' : ` by ${row.endedBy}`;
  // A sandbox that keeps files takes its id over from the one before.
  if (row.generation !== generation || row.createdAt !== createdAt) return `the sandbox was replaced${by}`;
  if (row.state === 'destroying') return `the sandbox was removed${by}`;
  return row.state === 'stopping' || row.state === 'stopped' ? `the sandbox was stopped${by}` : null;
}
