/** What sandboxes use now, side by side. Types only. */
import type { Stats } from '../backend.ts';
import type { Outcome } from '../store/history.ts';
import type { SandboxView } from './types.ts';

export interface UseFilter {
  /** A task id or a sandbox id. */
  readonly task?: string;
  /** Only tasks of this owner. */
  readonly owner?: string;
  /** Only those with these labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface SandboxUse {
  /** Task of the sandbox. */
  readonly taskId: string;
  /** Id of the sandbox. */
  readonly sandboxId: string;
  /** Owner of the task. */
  readonly owner: string;
  /** Name of the backend. */
  readonly backend: string;
  /** State on record. */
  readonly state: SandboxView['state'];
  /** What it uses. `null`: it does not run, or its place does not tell. */
  readonly stats: Stats | null;
  /** Why there are no figures of one that runs. `null`: there are, or it does not run. */
  readonly why: string | null;
  /** Cores that it used on average since the reading before. `null`: there was none. */
  readonly cpuCores: number | null;
  /** Bytes of the task's directory on this host, looked at once a minute. `null`: it has none, or holds too much to count. */
  readonly diskBytes: number | null;
  /** The act that began last. `null`: none is on record. */
  readonly last: { readonly command: readonly string[]; readonly startedAt: string; readonly outcome: Outcome } | null;
  /** RFC 3339, UTC. End of the last command, session or copy. */
  readonly usedAt: string;
  /** RFC 3339, UTC. When it ends by itself unless it is used. `null`: nothing ends it. */
  readonly expiresAt: string | null;
}
