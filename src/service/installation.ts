/** A state directory as a whole, for those who operate it. */
import type { AuditFigures } from '../audit/types.ts';
import type { Budget, BudgetFigures, BudgetName } from '../budget/types.ts';
import type { StoreFigures } from '../store/figures.ts';
import type { Status } from './status.ts';
import type { EgressFigures } from '../egress/tally.ts';

/** How much there is of everything at one moment. It names no task, command or token, and owners in budgets alone. */
export interface Figures extends Pick<StoreFigures, 'sandboxes' | 'processes' | 'tokens' | 'webhooks'> {
  /** Bytes of the database and its log, and writes since the process began. */
  readonly store: Pick<StoreFigures, 'bytes' | 'logBytes' | 'writes'>;
  /** Records and bytes of the audit. */
  readonly audit: AuditFigures;
  /** Commands that wait for a person, in all processes of the state directory. */
  readonly approvalsWaiting: number;
  /** Execs of this process that have not ended. */
  readonly execsRunning: number;
  /** Sandboxes that this process is making or removing, and those that wait for their turn, by backend. */
  readonly queue: readonly { readonly backend: string; readonly running: number; readonly waiting: number }[];
  /** Lanes that this process has open, and the commands that went through a lane or past it. */
  readonly lanes: { readonly open: number; readonly lane: number; readonly direct: number };
  /** Budgets of this process. */
  readonly budgets: readonly BudgetFigures[];
  /** Figures of the egress proxy, for sandboxes with a filtered network. `null`: no proxy has run. */
  readonly egress: EgressFigures | null;
  /** Free space for this user on the disk of the state directory. `null`: the system does not tell. */
  readonly freeBytes: number | null;
}

export interface Backup {
  /** Absolute. */
  readonly directory: string;
  /** Files that were copied. */
  readonly files: number;
  /** Bytes of their content. */
  readonly bytes: number;
}

export interface InstallationApi {
  /** Whether all that is used works, and what a person should look at. Asks the backends that are in use. */
  status(): Promise<Status>;
  /** Counts of the state directory and of the process that answers. */
  figures(): Promise<Figures>;
  /** Use of the budgets of the process that answers: with a service, those of the service. */
  budgets(): Promise<readonly BudgetFigures[]>;
  /** For a front end of this process, which holds something on behalf of its clients. */
  budget(name: BudgetName): Budget;
  /**
   * Copies the state directory, while processes go on to use it, into a new directory, which is there when it is complete. What
   * is left out is in `docs/operating.md`. Throws `already_exists`, `invalid_argument` for a place inside of the state directory,
   * `resource_exhausted` on a full disk; then nothing is left.
   */
  backup(directory: string): Promise<Backup>;
}
