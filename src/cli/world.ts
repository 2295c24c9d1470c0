/** What the command line touches outside itself. `main.ts` gives the real one; tests give their own. */
import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { CaissonApi, SettingsApi } from '../service/api.ts';
import type { Approver } from '../guard/types.ts';
import type { RuleTexts } from '../policy/types.ts';

export interface Input extends Readable {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  setRawMode?(raw: boolean): unknown;
}

export interface Output extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export type Env = Readonly<Record<string, string | undefined>>;

export interface Opening {
  readonly home?: string;
  readonly env: Env;
  readonly cwd: string;
  readonly approver?: Approver | 'queue';
  readonly yolo?: boolean;
  readonly rules?: RuleTexts;
}

export interface World {
  readonly env: Env;
  readonly cwd: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Where SIGINT, SIGTERM and SIGHUP arrive. */
  readonly signals: EventEmitter;
  readonly nowMs: () => number;
  readonly open: (options: Opening) => Promise<CaissonApi>;
  /** The configuration alone: no state directory is made. */
  readonly settings: (options: Opening) => Promise<SettingsApi>;
  /** Ends the process at once. */
  readonly abandon: (exitCode: number) => void;
}
