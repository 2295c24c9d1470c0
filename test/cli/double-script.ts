/** What a test tells the double to be like. */
import type { CaissonApi, ExecEvent, Exit, GcItem, HostKey, RuleExamples, SandboxView } from '../../src/service/api.ts';
import type { backendsIn } from './double-data.ts';

export interface Script {
  readonly nowMs?: () => number;
  readonly sandboxes?: readonly Partial<SandboxView>[];
  readonly events?: readonly ExecEvent[];
  readonly garbage?: readonly GcItem[];
  /** Changes how commands end. */
  readonly exit?: Partial<Exit>;
  readonly recreated?: boolean;
  readonly accounts?: NonNullable<Parameters<typeof backendsIn>[0]['accounts']>;
  readonly lostSince?: string;
  /** What the service was asked to do, a line each; also appended to this file. */
  readonly logFile?: string;
  readonly createDelayMs?: number;
  /** How the rules of the policy do on their examples. */
  readonly rules?: readonly RuleExamples[];
  /** Rules without effect. */
  readonly ignored?: CaissonApi['policy']['ignored'];
  /** What hosts show, each time anew. */
  readonly keys?: readonly HostKey[];
}
