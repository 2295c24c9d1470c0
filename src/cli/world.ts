/** What the command line touches outside itself. `main.ts` gives the real one; tests give their own. */
import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { CaissonApi, ConfigFile, FilesApi, Running, RunningText, SettingsApi } from '../service/api.ts';
import type { CaissonClient } from '../client/types.ts';
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
  /** The caller confirms what asks for it, such as the target of a copy. */
  readonly confirms?: boolean;
  /** Past a service that runs. */
  readonly embedded?: boolean;
  /** What the caller should know about the way that was taken. */
  readonly onNotice?: (text: string) => void;
  /** Called with each step that a service names in its answers. */
  readonly onTimed?: (step: string, ms: number) => void;
}

type RunningSession = Omit<RunningText, keyof Running>;

/** Its outputs are only read. */
export type CommandRunning = Omit<Running, 'stdout' | 'stderr'> & {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
};

/** What commands ask, of the library or of a service. */
export interface CommandApi extends Omit<
  CaissonApi,
  | 'exec'
  | 'execs'
  | 'sessions'
  | 'files'
  | 'policy'
  | 'network'
  | 'secrets'
  | 'mcpServers'
  | 'config'
  | 'access'
  | 'installation'
  | 'pool'
> {
  readonly pool: Omit<CaissonApi['pool'], 'keep'>;
  readonly installation: Pick<CaissonApi['installation'], 'budgets' | 'status'>;
  exec: (...args: Parameters<CaissonApi['exec']>) => Promise<CommandRunning>;
  readonly execs: Omit<CaissonApi['execs'], 'start'>;
  readonly sessions: Omit<CaissonApi['sessions'], 'exec'> & {
    exec: (...args: Parameters<CaissonApi['sessions']['exec']>) => Promise<CommandRunning & RunningSession>;
  };
  readonly files: Pick<FilesApi, 'copyIn' | 'copyOut'>;
  readonly policy: Omit<CaissonApi['policy'], 'checker'>;
  readonly network: Omit<CaissonApi['network'], 'checker'>;
  readonly access: { readonly pairing: Omit<CaissonApi['access']['pairing'], 'clearPending'> };
  readonly config: Pick<CaissonApi['config'], 'show' | 'pending' | 'home' | 'notices'>;
}

/** A service that runs, with the token that asks. */
export interface ServiceLine {
  readonly client: CaissonClient;
  readonly home: string;
  /** Its ordinary address. */
  readonly url: string;
}

export interface World {
  readonly env: Env;
  readonly cwd: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Emitter at which SIGINT, SIGTERM and SIGHUP arrive. */
  readonly signals: EventEmitter;
  readonly nowMs: () => number;
  /** Through the service of the state directory, where one runs; otherwise as `embedded` does. */
  readonly open: (options: Opening) => Promise<CommandApi>;
  /** The service of the state directory, for a front end that speaks to it by itself; `null` where `open` would go without one. */
  readonly line: (options: Opening) => Promise<ServiceLine | null>;
  /** The state directory itself, in this process. */
  readonly embedded: (options: Opening) => Promise<CaissonApi>;
  /** The configuration alone: no state directory is made. */
  readonly settings: (options: Opening) => Promise<SettingsApi>;
  /** The configuration file: nothing is made, and it need not load. */
  readonly configFile: (options: Opening) => Promise<ConfigFile>;
  /** Ends the process at once. */
  readonly abandon: (exitCode: number) => void;
}
