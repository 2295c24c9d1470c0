/** The handles that this process holds, each with its lanes. */
import type { Sandbox } from '../backend.ts';
import { LanedSandbox } from '../exec/lane/laned.ts';
import type { Context } from './context.ts';

/** `nonce`: what the guardian in the sandbox's first process was started with, when this process has just made it. */
export function keepLive(context: Context, id: string, sandbox: Sandbox, nonce: string | null = null): Sandbox {
  forgetLive(context, id);
  const laned = new LanedSandbox(sandbox, nonce, { enabled: context.lanes, tally: context.laneTally });
  context.live.set(id, laned);
  return laned;
}

/** It has stopped, gone or proved dead. */
export function forgetLive(context: Context, id: string): void {
  context.live.get(id)?.close();
  context.live.delete(id);
}
