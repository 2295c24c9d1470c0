import type { Limits, NetworkMode } from '../backend.ts';

/** What a caller may say about a sandbox. Everything absent comes from the task's overrides, the file, the defaults. */
export interface SandboxRequest {
  /** Grammar `^[a-z0-9][a-z0-9_-]{0,62}$`. Absent: a new ephemeral task that ends with the returned handle. */
  readonly taskId?: string;
  readonly backend?: string;
  readonly image?: string;
  readonly limits?: Partial<Limits>;
  readonly network?: NetworkMode;
  readonly persistent?: boolean;
  readonly cwd?: string;
  /** Start although a requested control cannot be given; what is missing is listed under `degraded`. */
  readonly allowDegraded?: boolean;
  /** Replace a sandbox of this task that was made from another spec, instead of failing with `conflict`. */
  readonly recreate?: boolean;
  /**
   * Take the sandbox that the task has, as it is, whatever the configuration says by now; `not_found` when it has none.
   * `taskId` may then be a sandbox id, and nothing else may be asked for.
   */
  readonly existing?: boolean;
}
