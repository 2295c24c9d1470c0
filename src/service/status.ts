/** Whether an installation is well, at one look. Types only. */
import type { BudgetFigures } from '../budget/types.ts';
import type { EgressFigures } from '../egress/tally.ts';
import type { Check } from '../backend.ts';
import type { StoreFigures } from '../store/figures.ts';
import type { Pending } from './configuration.ts';

/** Something that a person should look at. */
export interface Concern {
  /** `broken`: something that is used does not work. */
  readonly level: 'attention' | 'broken';
  /** What it is about: `disk`, `backend`, `configuration`, `sandbox`, `lost`, `question`, `webhook`, `budget`, `audit`, `egress`. */
  readonly about: string;
  /** One sentence for people. */
  readonly message: string;
  /** What can be done. */
  readonly remedy: string;
}

export interface Status {
  /** The worst of the concerns. */
  readonly level: 'well' | Concern['level'];
  /** Worst first. */
  readonly concerns: readonly Concern[];
  /** Version of the process that answers. */
  readonly version: string;
  /** RFC 3339, UTC. When that process began. */
  readonly startedAt: string;
  /** How the configuration file differs from what that process has read. */
  readonly pending: Pending;
  /** Backends that are configured or have sandboxes. */
  readonly backends: readonly {
    readonly backend: string;
    readonly status: Check['status'];
    readonly summary: string;
  }[];
  /** Free space and inodes for this user on the disk of the state directory. `null`: the system does not tell. */
  readonly disk: {
    readonly freeBytes: number | null;
    readonly totalBytes: number | null;
    readonly freeInodes: number | null;
  };
  /** Counts by backend and state. */
  readonly sandboxes: StoreFigures['sandboxes'];
  /** Sandboxes that are on their way to another state for longer than that takes. */
  readonly stuck: readonly { readonly taskId: string; readonly state: string; readonly since: string }[];
  /** Commands of the last day: those with an end that is not known, and those that were refused. Counted up to 10,000. */
  readonly day: { readonly lost: number; readonly denied: number };
  /** Execs of that process that run. */
  readonly execsRunning: number;
  /** Commands that wait for a person, in all processes. */
  readonly approvalsWaiting: number;
  /** The egress proxy. `figures` are null where none has run. */
  readonly egress: { readonly running: boolean; readonly figures: EgressFigures | null };
  /** Events for webhooks, by endpoint. */
  readonly webhooks: StoreFigures['webhooks'];
  /** Budgets of that process that are in use or have refused something. */
  readonly budgets: readonly BudgetFigures[];
  /** The audit, and up to which record it was verified last. `null`: never. */
  readonly audit: {
    readonly records: number;
    readonly bytes: number;
    readonly verified: { readonly at: string; readonly through: number; readonly intact: boolean } | null;
  };
}
