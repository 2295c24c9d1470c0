/** A task whose sandbox may come from the pool: what it got, and whether its command ran as it should. */
import type { Caisson } from '../../src/service/caisson.ts';

export interface TaskClaim {
  readonly taskId: string;
  readonly sandboxId: string;
  /** `pool`, or `pool-` with the reason of the miss. */
  readonly pool: string;
  readonly printed: string;
}

/** The sandbox is removed at the end. */
export async function claimOne(caisson: Caisson, taskId: string): Promise<TaskClaim> {
  const phases: string[] = [];
  const onTimed = (phase: string): void => void phases.push(phase);
  const { sandbox } = await caisson.sandboxes.create({ taskId }, { onTimed });
  const command = ['sh', '-c', `cat /workspace/* 2>/dev/null; echo ${taskId} >/workspace/own; cat /workspace/own`];
  const { stdout } = await caisson.run({ taskId, existing: true, command });
  await caisson.sandboxes.remove(taskId);
  const pool = phases.find((phase) => phase.startsWith('pool')) ?? 'none';
  return { taskId, sandboxId: sandbox.id, pool, printed: stdout.text };
}
