/** Doors of sandboxes whose network is `filtered`: see `CreateOptions.door`. */
import type { SandboxRow } from '../store/store.ts';

/** A place that could not give it, and was allowed not to, has given a sandbox without one. */
export function hasDoor({ spec, degraded }: Pick<SandboxRow, 'spec' | 'degraded'>): boolean {
  return spec.network === 'filtered' && !degraded.some(({ control }) => control === 'network');
}

export interface Doors {
  /** The directory with the socket, on which the proxy listens when this resolves, by the rules of now. Throws `unavailable`. */
  open(sandbox: Pick<SandboxRow, 'id' | 'taskId'>): Promise<string>;
  /** The same, for one that was open: nearly free where nothing has changed. */
  keep(sandbox: Pick<SandboxRow, 'id' | 'taskId'>): Promise<void>;
  /** Notes for people about connections that were denied since then, by the wall clock. Bounded. Rejects never. */
  denied(sandboxId: string, sinceMs: number): Promise<readonly string[]>;
  /** Of this process: the doors stay open. */
  release(): void;
  /** Idempotent. */
  close(sandboxId: string): Promise<void>;
}
