/** Reads the record of an exec until its reader has enough. */
import type { ExecEvent } from '../../service/api.ts';
import type { McpApi } from '../api.ts';

interface FollowRequest {
  readonly after: number;
  readonly follow: boolean;
  /** Ends the reading without an error. */
  readonly until: AbortSignal;
}

/** `see` answers whether it goes on. True: it was read to its end, as far as there is one now. */
export async function followRecord(
  { execs }: Pick<McpApi, 'execs'>,
  execId: string,
  { after, follow, until }: FollowRequest,
  see: (event: ExecEvent) => boolean,
): Promise<boolean> {
  try {
    for await (const event of execs.logs(execId, { after, follow }, { signal: until })) if (!see(event)) return false;
    return !until.aborted;
  } catch (error) {
    if (!until.aborted) throw error;
    return false;
  }
}

/** Fires after a time, or with one of the signals. To be given up with `over`. */
export function endOf(
  ms: number,
  signals: readonly AbortSignal[],
): { readonly signal: AbortSignal; readonly over: () => void } {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timer = setTimeout(end, Math.max(0, ms));
  for (const signal of signals) {
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  }
  const over = (): void => {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', end);
  };
  return { signal: controller.signal, over };
}
