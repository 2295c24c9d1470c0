/** Shapes of the room. */
import type { CaissonApi } from '../service/api.ts';

/** What happens to an edit of the agent, by `acp.edits`. */
export type EditMode = 'ask' | 'session' | 'policy';

/** Task and project in which agent and terminals work. */
export interface Workplace {
  readonly api: CaissonApi;
  readonly taskId: string;
  /** Absolute and real, on this host and in the sandbox. */
  readonly project: string;
}

export interface AcpSettings {
  readonly edits: EditMode;
  /** `approvals.timeout`. */
  readonly timeoutMs: number;
}
