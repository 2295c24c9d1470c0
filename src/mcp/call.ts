/** One call of a tool while it runs: what ends it, what it says meanwhile, and what identifies it. */
import { createHash } from 'node:crypto';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { CaissonError } from '../errors.ts';
import { traced, type TracedSpan } from '../lib/traced.ts';
import { oneLine } from './output/text.ts';
import type { McpDependencies } from './parts.ts';

const maxMessageUnits = 200;

export interface Call {
  readonly parts: McpDependencies;
  readonly ctx: ServerContext;
  readonly server: McpServer;
  /** Hash of the caller, the tool and all arguments. */
  readonly key: string;
  /** Fires when the caller cancels the call, or leaves before it is answered. */
  readonly signal: AbortSignal;
  /** Until it is to be answered. */
  readonly leftMs: () => number;
  /** What the next notification of progress says. */
  readonly report: (text: string) => void;
}

export interface Calling {
  readonly tool: string;
  readonly args: unknown;
  readonly ctx: ServerContext;
  readonly server: McpServer;
  readonly parts: McpDependencies;
}

/** `work` is the whole of the call: afterwards nothing of the caller reaches what goes on. */
export async function duringCall<T>(
  { tool, args, ctx, server, parts }: Calling,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const cancel = (): void => controller.abort(new CaissonError('canceled', 'the caller has canceled the call'));
  const { signal } = ctx.mcpReq;
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const progress = progressOf(ctx, parts);
  const endMs = performance.now() + parts.limits.answerMs;
  const key = createHash('sha256')
    .update(JSON.stringify([parts.caller, tool, args]))
    .digest('hex');
  const leftMs = (): number => endMs - performance.now();
  try {
    const span: TracedSpan<T> = {
      name: `caisson.mcp ${tool}`,
      kind: 'server',
      from: ctx.mcpReq._meta ?? {},
    };
    const call = { parts, ctx, server, key, leftMs, signal: controller.signal, report: progress.report };
    return await traced(span, () => work(call));
  } finally {
    signal.removeEventListener('abort', cancel);
    progress.over();
  }
}

/** Sends progress to a caller that wants it. A host that does not take the notifications does not end the command. */
function progressOf(
  { mcpReq }: ServerContext,
  { limits }: McpDependencies,
): Pick<Call, 'report'> & { readonly over: () => void } {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => undefined, over: () => undefined };
  let message = 'working';
  let progress = 0;
  const timer = setInterval(() => {
    const params = { progressToken, progress: ++progress, message };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, limits.progressMs);
  return {
    report: (text) => void (message = oneLine(text, maxMessageUnits) || message),
    over: () => clearInterval(timer),
  };
}
