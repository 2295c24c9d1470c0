/**
 * What a front end may ask of Caisson, and what it gets. `caisson.ts` is the object that does it; this page is its words.
 *
 * Every method throws `CaissonError` only. What a command did is an `Exit`, never an error.
 */
import type { Readable } from 'node:stream';
import type { AccessApi } from '../access/types.ts';
import type { TokensApi } from '../access/tokens/types.ts';
import type { AuditRecord, TailInput, Verification } from '../audit/types.ts';
import type { HostKey } from '../backend.ts';
import type { Killed } from '../exec/detached/end.ts';
import type { DetachedProcess } from '../exec/detached/types.ts';
import type { SessionInput, SessionView } from '../exec/session/types.ts';
import type { ExecEvent } from '../values/exec-event.ts';
import type { McpServersApi } from './admin/mcp-servers-api.ts';
import type { SecretsApi } from './admin/secrets-api.ts';
import type { HistoryApi } from './history.ts';
import type { InstallationApi } from './installation.ts';
import type { NetworkApi } from './network-api.ts';
import type { FilesApi } from './verbs/files.ts';
import type { PoolApi } from './verbs/pool.ts';
import type { SandboxesApi } from './verbs/sandboxes.ts';
import type { ByTask } from './verbs/task.ts';
import type { HookView } from '../guard/hooks/types.ts';
import type { AnswerAll, AnsweredAll, ApprovalView, GrantView } from '../guard/types.ts';
import type { Choice } from '../values/choice.ts';
import type { Checker, CheckQuery, RuleExamples } from '../policy/types.ts';
import type { SandboxRequest } from '../plan/types.ts';
import type { RuleSuggestion } from '../guard/suggest.ts';
import type {
  AccountView,
  BackendCheck,
  CodeInput,
  ConfigView,
  Detached,
  EventsApi,
  ExecFilter,
  ExecInput,
  ExecView,
  ImageView,
  LogInput,
  CheckOptions,
  CloseOptions,
  Options,
  Page,
  ProcessFilter,
  RunInput,
  RunResult,
  Running,
  RunningText,
  SessionName,
  SessionResult,
  ListedProcess,
  TaskProcess,
} from './types.ts';

export type { FilesApi } from './verbs/files.ts';
export type { PoolApi } from './verbs/pool.ts';
export type { Drained, PoolView } from '../pool/types.ts';
export type { SandboxChange, SandboxesApi } from './verbs/sandboxes.ts';
export type { ByTask } from './verbs/task.ts';
export type * from './network-api.ts';
export type { Budget, BudgetFigures } from '../budget/types.ts';
export type { HistoryApi, HistoryEntry, HistoryFilter } from './history.ts';
export type { Backup, Figures, InstallationApi } from './installation.ts';
export type { Concern, Status } from './status.ts';
export type { MinuteSample, Sample, SampleFigures, Samples, SamplesInput } from './samples.ts';
export type { SandboxUse, UseFilter } from './top.ts';
export type { AccessApi, Hearing, Message, PairedView, PairingView, PendingView, Revoked } from '../access/types.ts';
export type { NewToken, Scope, TokenBounds, TokenInput, TokensApi, TokenView } from '../access/tokens/types.ts';
export type { AuditFilter, AuditRecord, TailInput, Verification } from '../audit/types.ts';
export { shellCode, signalNumbers } from '../values/exit.ts';
export { shellStarter } from '../values/shell-starter.ts';
export { taskIdError } from '../values/task.ts';
export type { End, Exit, ExitReason, StreamSummary, Survivor } from '../values/exit.ts';
export type { Killed } from '../exec/detached/end.ts';
export type { DetachedProcess } from '../exec/detached/types.ts';
export type { SessionEnd, SessionInput, SessionStart, SessionView } from '../exec/session/types.ts';
export type { Execution, KeptStream } from '../exec/types.ts';
export type { ExecEvent, Where } from '../values/exec-event.ts';
export type { RedactionCounts, Redactor } from '../redact/types.ts';
export type { SkillFinding, SkillScan, SkillVerdict } from '../guard/skills/types.ts';
export type { ScanCategory, ScanFinding, ScanResult } from '../secrets/scan/types.ts';
export type { CopyResult, FileArchive, FileTools } from '../files/types.ts';
export type { GcHow, GcItem } from './admin/gc-item.ts';
export type * from './admin/mcp-servers-api.ts';
export type { SecretsApi } from './admin/secrets-api.ts';
export type { RuleSuggestion } from '../guard/suggest.ts';
export type { HookView } from '../guard/hooks/types.ts';
export type { ApprovalView, Approver, GrantView, Question, Settled } from '../guard/types.ts';
export type { Choice } from '../values/choice.ts';
export type { AnswerAll, AnsweredAll, Asked } from '../guard/types.ts';
export { placeOf } from '../guard/asked.ts';
export { findingText } from '../policy/approval/finding-text.ts';
export type { AddressVerdict, UrlChecker, UrlQuery } from '../network/types.ts';
export type { Checker, CheckQuery, Decision, RuleExamples } from '../policy/types.ts';
export type { Inspected, SandboxLimit, SandboxLimits } from '../sandbox/types.ts';
export { limitsText } from '../sandbox/limits-text.ts';
export type { SandboxRequest } from '../plan/types.ts';
export type { Check, Finding, HostKey, Limits, NetworkMode, Progress, ResourceState, Spec, Stats } from '../backend.ts';
export { everyItem } from './pages.ts';
export type * from './types.ts';

export interface ExecsApi {
  /**
   * Creates or gets the sandbox, then starts the command, or the program. An ephemeral sandbox is removed when it has ended.
   * The stdin of a program is its text, and ends with it.
   */
  start(request: SandboxRequest & (CodeInput | ExecInput), options?: Options): Promise<Running>;
  /** `start`, with the output collected: head and tail up to `exec.output_bytes` a stream. */
  run(request: SandboxRequest & (CodeInput | RunInput), options?: Options): Promise<RunResult>;
  /** Those on record, newest first. */
  list(filter?: ExecFilter, options?: Options): Promise<Page<ExecView>>;
  /** Throws `not_found`. */
  get(execId: string, options?: Options): Promise<ExecView>;
  /** Kills the whole tree, whichever process runs it. Does nothing to an exec that has ended. Throws `not_found`. */
  cancel(execId: string, options?: Options): Promise<void>;
  /**
   * Events of one exec, or of all execs of a task, oldest first. Of a detached process too: there `seq` tells the place in
   * its output, grows with holes, and may be gone on from at any time.
   */
  logs(id: string, how?: LogInput, options?: Options): AsyncIterable<ExecEvent>;
}

/** Commands that outlive their request and the service. */
export interface ProcessesApi {
  /**
   * In the sandbox of a task, which is created when it is not there. With `stdin`, its input is open until `input` has ended it;
   * without, it reads end of file at once.
   */
  start(request: SandboxRequest & Omit<ExecInput, 'user'>, options?: Options): Promise<Detached>;
  /** Lists processes, those that have ended too, until their sandbox is removed. */
  list(filter?: ProcessFilter, options?: Options): Promise<readonly ListedProcess[]>;
  /** Throws `not_found`. */
  get(processId: string, options?: Options): Promise<TaskProcess>;
  /**
   * Passes `source` on to a process that was started with `stdin`, and then end of file. When the source breaks or the signal
   * fires, the input stays open for a later call. Throws `failed_precondition` when it is not open, or ends before the source.
   */
  input(processId: string, source: Readable, options?: Options): Promise<void>;
  /** Until the process has ended. */
  wait(processId: string, options?: Options): Promise<DetachedProcess>;
  /** Ends the whole tree; with a signal other than KILL, only sends that. */
  kill(processId: string, signal?: string, options?: Options): Promise<Killed>;
}

/** Shells that keep their state from one text to the next. */
export interface SessionsApi {
  /** Opens the shell of a session before its first text. Idempotent. */
  open(session: ByTask<SessionName>, options?: Options): Promise<SessionView>;
  /** Starts the text; its output comes as it is written. Calls of one session wait for each other. */
  exec(input: ByTask<SessionInput>, options?: Options): Promise<RunningText>;
  /** `exec`, with the output collected as by `execs.run`. */
  run(input: ByTask<SessionInput>, options?: Options): Promise<SessionResult>;
  /** Ends its shell and forgets its state. */
  close(session: ByTask<SessionName>, options?: Options): Promise<void>;
  /** Lists the sessions of a task. */
  list(taskId: string, options?: Options): Promise<readonly SessionView[]>;
}

/** Commands that wait for a person. */
export interface ApprovalsApi {
  /** In all processes of the state directory. */
  list(options?: Options): Promise<readonly ApprovalView[]>;
  /** Answered or not, for a week. Throws `not_found`. */
  get(id: string, options?: Options): Promise<ApprovalView>;
  /**
   * Throws `not_found`, `conflict` when it is too late, `permission_denied` inside a command that Caisson runs and for the
   * token whose command it is.
   */
  answer(id: string, choice: Choice, by: string, options?: Options): Promise<void>;
  /** Answers what waits for a task at this instant; the rest is left and named. Throws `invalid_argument` for `always`. */
  answerAll(answer: ByTask<AnswerAll>, by: string, options?: Options): Promise<AnsweredAll>;
  /** Answers "session" that still hold, oldest first. */
  grants(options?: Options): Promise<readonly GrantView[]>;
  /** Takes such an answer back, from the next command on. Throws `not_found`. */
  revoke(id: string, by: string, options?: Options): Promise<void>;
  /** Rules that would have answered what was answered "once" or "session" three times and more in a week; never for what is dangerous. */
  suggest(options?: Options): Promise<readonly RuleSuggestion[]>;
  /** YOLO for one task, from now on or no longer. For people who are there: never let a task reach it. */
  skip(taskId: string, on: boolean, options?: Options): Promise<void>;
}

/** What would be decided about commands; nothing is run, and no engine is asked. */
export interface PolicyApi {
  /** A function that judges commands by the present rules. Throws `invalid_argument` for a query that cannot be. */
  checker(query: CheckQuery): Promise<Checker>;
  /** Tries every rule on its own examples, which takes some fifty milliseconds. */
  examples(): Promise<readonly RuleExamples[]>;
  /** Rules that are written somewhere and have no effect, such as what a project would allow, with their places. */
  ignored(): Promise<readonly { readonly source: string; readonly rule: string }[]>;
  /** Throws what keeps commands from being judged: rules that cannot be read, or a grammar that could not be loaded. */
  ready(): Promise<void>;
  /** Scripts that see a command before it runs. Each is run only as it was when it was accepted. */
  readonly hooks: {
    list(): Promise<readonly HookView[]>;
    /** Without names, all that can be used. Answers what became of them. */
    accept(names: readonly string[]): Promise<readonly HookView[]>;
  };
}

/** Every decision and every run, in a chain of hashes over all processes of the state directory. */
export interface AuditApi {
  /** The last records, of one owner or of all, oldest first; with `follow`, also those to come, until the signal fires. */
  tail(how: TailInput, options?: Options): AsyncIterable<AuditRecord>;
  /** Whether all records are there and as they were written. */
  verify(): Promise<Verification>;
}

export interface ImagesApi {
  /** Lists images of one backend, or of all; a backend that cannot be reached is an error. */
  list(filter?: { readonly backend?: string }, options?: Options): Promise<readonly ImageView[]>;
  /** Names of the recipes that can be built. */
  recipes(): Promise<readonly { readonly name: string; readonly reference: string; readonly about: string }[]>;
  /** Builds an image by a recipe. Throws `not_found` for an unknown recipe. */
  build(
    recipe: string,
    how: { readonly method?: 'packages' | 'dockerfile' },
    options?: Options,
  ): Promise<{ readonly reference: string; readonly id: string }>;
}

export interface BackendsApi {
  /** Whether each can be used here, and what is wrong with it. Absent: all of this build. */
  check(names?: readonly string[], options?: CheckOptions): Promise<readonly BackendCheck[]>;
  /**
   * What runs in the accounts of these backends, of all programs; asks each service, and changes nothing. Those that have
   * no account are left out.
   */
  account(names: readonly string[], options?: Options): Promise<readonly AccountView[]>;
  /**
   * Keys by which the hosts of a backend show who they are: asks every host, and changes nothing. Throws `not_supported` for
   * a backend whose places have none.
   */
  hostKeys(backend: string, options?: Options): Promise<readonly HostKey[]>;
  /** A person has compared the fingerprint: the key is known from now on. It is on record in the audit. */
  confirmHostKey(backend: string, key: Pick<HostKey, 'host' | 'fingerprint'>, options?: Options): Promise<void>;
}

/** What can be asked without a state directory. */
export interface SettingsApi {
  /** The configuration, without a way to change it. */
  readonly config: Omit<ConfigView, 'set' | 'create' | 'reload' | 'pending'>;
  /** Verdicts by the configuration alone. */
  readonly policy: Pick<PolicyApi, 'checker'>;
  /** Verdicts about URLs by the configuration alone. */
  readonly network: Pick<NetworkApi, 'checker'>;
}

export interface CaissonApi {
  /** The short form of `execs.run`. */
  run: ExecsApi['run'];
  /** The short form of `execs.start`. */
  exec: ExecsApi['start'];
  /** Sandboxes: one for each task. */
  readonly sandboxes: SandboxesApi;
  /** Commands and programs in sandboxes. */
  readonly execs: ExecsApi;
  /** Commands that outlive their request and the service. */
  readonly processes: ProcessesApi;
  /** Shells that keep their state. */
  readonly sessions: SessionsApi;
  /** Files inside sandboxes. */
  readonly files: FilesApi;
  /** Sandboxes that are made ahead of demand. */
  readonly pool: PoolApi;
  /** Commands that wait for a person. */
  readonly approvals: ApprovalsApi;
  /** Verdicts about commands. */
  readonly policy: PolicyApi;
  /** Destinations of filtered sandboxes. */
  readonly network: NetworkApi;
  /** Record of decisions and runs. */
  readonly audit: AuditApi;
  /** What was done in sandboxes, and how it ended. */
  readonly history: HistoryApi;
  /** Changes of state, as they happen. */
  readonly events: EventsApi;
  /** Images of backends. */
  readonly images: ImagesApi;
  /** Declared secrets, and what a text holds. */
  readonly secrets: SecretsApi;
  /** Who may talk to an agent through a messenger. */
  readonly access: AccessApi;
  /** Tokens under which clients of the service act. */
  readonly tokens: TokensApi;
  /** State of backends and of their accounts. */
  readonly backends: BackendsApi;
  /** MCP servers of the configuration. */
  readonly mcpServers: McpServersApi;
  /** Figures and backup of the state directory. */
  readonly installation: InstallationApi;
  /** Configuration in force. */
  readonly config: ConfigView;
  /**
   * Ends what belongs to this process: its ephemeral sandboxes, its leases, its connections. Idempotent. Each wait has a bound: throws
   * `timed_out` with what did not end (`details.waitedFor`) when all else is closed.
   */
  close(options?: CloseOptions): Promise<void>;
}
