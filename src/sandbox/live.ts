/** The handles that this process holds, each with its lanes. */
import type { Sandbox } from '../backend.ts';
import { LanedSandbox } from '../exec/lane/laned.ts';
import type { SandboxRow } from '../store/store.ts';
import { isMember } from '../values/member.ts';
import type { Context } from './context.ts';

/** `nonce`: what the guardian in the sandbox's first process was started with, when this process has just made it. */
export function keepLive(context: Context, row: SandboxRow, sandbox: Sandbox, nonce: string | null = null): Sandbox {
  forgetLive(context, row.id);
  const laned = new LanedSandbox(sandbox, nonce, { enabled: context.lanes, tally: context.laneTally });
  laned.standsBy = isMember(row.taskId);
  context.live.set(row.id, laned);
  heedMemory(context, row.id, row.effective);
  return laned;
}

/** What was measured says whether a process of the sandbox can write the memory of its lanes. */
export function heedMemory(context: Context, id: string, effective: SandboxRow['effective']): void {
  if (effective === null) return;
  const scope = effective['ptraceScope'];
  context.live.get(id)?.heedMemory(typeof scope === 'number' && scope > 0 ? 'protected' : 'open');
}

/** It has stopped, gone or proved dead. */
export function forgetLive(context: Context, id: string): void {
  context.live.get(id)?.close();
  context.live.delete(id);
}
