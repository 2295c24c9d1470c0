/**
 * What a front end may ask of Caisson, and what it gets. `caisson.ts` is the object that does it; this page is its words.
 *
 * Every method throws `CaissonError` only. What a command did is an `Exit`, never an error.
 */
import type { Readable } from 'node:stream';
import type { AccessApi } from '../access/types.ts';
import type { AuditRecord, Verification } from '../audit/types.ts';
import type { Check, HostKey, Progress, Stats } from '../backend.ts';
import type { Killed } from '../exec/detached/end.ts';
import type { DetachedProcess } from '../exec/detached/types.ts';
import type { Language } from '../exec/code.ts';
import type { Exit } from '../exec/exit.ts';
import type { SessionEnd, SessionInput, SessionStart, SessionView } from '../exec/session/types.ts';
import type { ExecEvent, Execution, KeptStream, Where } from '../exec/types.ts';
import type { CopyResult, FileTools } from '../files/types.ts';
import type { GcItem } from './admin/gc.ts';
import type { HookView } from '../guard/hooks/types.ts';
import type { ApprovalView, Choice } from '../guard/types.ts';
import type { Checker, CheckQuery, RuleExamples } from '../policy/types.ts';
import type { Inspected } from '../sandbox/inspect.ts';
import type { View } from '../sandbox/view.ts';
import type { Redactor } from '../secrets/redact/types.ts';
import type { ScanResult } from '../secrets/scan/types.ts';
import type { SandboxRequest } from '../plan/types.ts';

export type { AccessApi, Hearing, Message, PairedView, PairingView, PendingView, Revoked } from '../access/types.ts';
export type { AuditRecord, Verification } from '../audit/types.ts';
export { shellCode, signalNumbers } from '../exec/exit.ts';
export type { Exit, ExitReason, StreamSummary, Survivor } from '../exec/exit.ts';
export type { Killed } from '../exec/detached/end.ts';
export type { DetachedProcess } from '../exec/detached/types.ts';
export type { SessionEnd, SessionInput, SessionStart, SessionView } from '../exec/session/types.ts';
export type { ExecEvent, Execution, KeptStream, Where } from '../exec/types.ts';
export type { RedactionCounts, Redactor } from '../secrets/redact/types.ts';
export type { ScanCategory, ScanFinding, ScanResult } from '../secrets/scan/types.ts';
export type { CopyResult, FileTools } from '../files/types.ts';
export type { GcItem } from './admin/gc.ts';
export type { HookView } from '../guard/hooks/types.ts';
export type { ApprovalView, Approver, Choice, Question } from '../guard/types.ts';
export type { Checker, CheckQuery, Decision, RuleExamples } from '../policy/types.ts';
export type { Inspected } from '../sandbox/inspect.ts';
export type { SandboxRequest } from '../plan/types.ts';
export type { Check, Finding, HostKey, Limits, NetworkMode, Progress, ResourceState, Spec, Stats } from '../backend.ts';

export interface Options {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface ExecInput {
  /** A known id gives the same exec, read from its record; nothing runs a second time. */
  readonly execId?: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * SKILL.md files of this host, or their directories. Variables that they require and that are set here, and credential
   * files that are there, are passed on to this command and to later ones of its task. Never to be taken from a stranger: the caller is the operator.
   */
  readonly skills?: readonly string[];
  readonly stdin?: boolean;
  /**
   * Output as the command wrote it, secrets and all; its record is without them. For programs of the operator: a front end
   * grants it to the operator's scope only. `permission_denied` inside a command that Caisson runs.
   */
  readonly rawOutput?: boolean;
  readonly tty?: { readonly columns: number; readonly rows: number };
  /** `null`: no deadline. Absent: `terminal.timeout`. */
  readonly timeoutMs?: number | null;
  readonly outputLimitBytes?: number;
}

/** A sandbox as it is known: what was wanted, what was measured, and what is missing. */
export type SandboxView = View;

/** How the sandbox came to the caller. */
export interface Acquired {
  readonly sandbox: SandboxView;
  /** `created`: made now. `found`: it was there. `started`: it was stopped. `recreated`: it had vanished and was made anew from the same spec; processes are gone, and files outside persistent directories too. */
  readonly how: 'created' | 'found' | 'started' | 'recreated';
}

export interface Running extends Execution {
  readonly where: Where;
  /** How its sandbox came to it, and what that sandbox lacks. */
  readonly how: Acquired['how'];
  readonly degraded: SandboxView['degraded'];
  /** Names that a skill requires and that are not set here. */
  readonly unsetVariables: readonly string[];
  /** Credential files that are declared and not there. */
  readonly missingFiles: readonly string[];
}

export interface RunResult {
  readonly execId: string;
  readonly where: Where;
  readonly exit: Exit;
  readonly stdout: KeptStream;
  readonly stderr: KeptStream;
}

/** A program to be run from a fresh directory that is removed afterwards. No secret of the configuration travels with it. */
export interface CodeInput extends Omit<ExecInput, 'command' | 'stdin' | 'tty' | 'cwd'> {
  readonly code: { readonly language: Language; readonly text: string | Uint8Array };
}

export interface RunInput extends ExecInput {
  readonly input?: string | Uint8Array | Readable;
}

export interface Detached {
  readonly id: string;
  /** False when it had been started before under this id. */
  readonly started: boolean;
  readonly where: Where;
}

export interface TaskProcess extends DetachedProcess {
  readonly taskId: string;
  readonly sandboxId: string;
}

/** A text that runs, and has its session for itself until it has ended: output that is not read delays the next text. */
export interface RunningText extends Running, SessionStart {
  /** Resolves when the session is free for the next text; after `exit`. Never rejects. */
  readonly session: Promise<SessionEnd>;
}

export interface SessionResult extends RunResult, SessionStart, SessionEnd {}

export interface BackendCheck {
  readonly backend: string;
  readonly check: Check;
}

export interface CopyInput {
  readonly task: string;
  /** To the sandbox: a host path. From it: an absolute path inside. */
  readonly source: string;
  readonly target: string;
  /** The caller confirms a target in another profile, or in a copy of the configuration. */
  readonly confirmed?: boolean;
  /** Of a copy from a sandbox: what it may bring at most. Absent: 64 GiB, and a million files and directories. */
  readonly limits?: { readonly bytes?: number; readonly entries?: number };
}

export interface McpChild {
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** `task` is a task id or a sandbox id everywhere below. */
export interface CaissonApi {
  create(request: SandboxRequest, options?: Options): Promise<Acquired>;
  /** Creates or gets the sandbox, then starts the command. An ephemeral sandbox is removed when the command has ended. */
  exec(request: SandboxRequest & ExecInput, options?: Options): Promise<Running>;
  /** `exec` of a program; its stdin is the text and ends with it. */
  code(request: SandboxRequest & CodeInput, options?: Options): Promise<Running>;
  /** Starts a command that outlives the request and the service, in the sandbox of a task. */
  detach(request: SandboxRequest & ExecInput, options?: Options): Promise<Detached>;
  /** Of one task, or of all sandboxes that run. */
  processes(task?: string, options?: Options): Promise<readonly TaskProcess[]>;
  /** Until the detached process has ended. */
  wait(processId: string, options?: Options): Promise<DetachedProcess>;
  /** Ends the whole tree of a detached process; with a signal other than KILL, only sends that. */
  kill(processId: string, signal?: string, options?: Options): Promise<Killed>;
  readonly sessions: {
    open(session: { readonly taskId: string; readonly name: string }, options?: Options): Promise<SessionView>;
    /** Starts the text; its output comes as it is written. Calls of one session wait for each other. */
    exec(input: SessionInput, options?: Options): Promise<RunningText>;
    /** `exec`, with the output collected as by the other `run`. */
    run(input: SessionInput, options?: Options): Promise<SessionResult>;
    /** Ends its shell and forgets its state. */
    close(session: { readonly taskId: string; readonly name: string }, options?: Options): Promise<void>;
    list(taskId: string, options?: Options): Promise<readonly SessionView[]>;
  };
  /** `exec` or `code`, with the output collected: head and tail up to `exec.output_bytes` a stream. */
  run(request: SandboxRequest & (CodeInput | RunInput), options?: Options): Promise<RunResult>;
  list(options?: Options): Promise<readonly SandboxView[]>;
  /** Asks the place too. */
  inspect(task: string, options?: Options): Promise<Inspected>;
  stop(task: string, options?: Options): Promise<void>;
  start(task: string, options?: Options): Promise<Acquired>;
  /**
   * Removes the sandbox and its files; with `keepFiles` the task's directory stays for the next sandbox of the task, or
   * until it is removed without. Throws `not_found` when there is neither a sandbox nor a kept directory.
   */
  remove(task: string, how?: { readonly keepFiles?: boolean }, options?: Options): Promise<void>;
  stats(task: string, options?: Options): Promise<Stats>;
  gc(how: { readonly dryRun: boolean }, options?: Options): Promise<readonly GcItem[]>;
  readonly files: FileTools;
  copyIn(input: CopyInput, options?: Options): Promise<CopyResult>;
  copyOut(input: CopyInput, options?: Options): Promise<CopyResult>;
  /**
   * Events of one exec, or of all execs of a task, oldest first. With `follow`, until the exec has ended. Of a detached
   * process too: there `seq` tells the place in its output, grows with holes, and may be gone on from at any time.
   */
  logs(
    id: string,
    how?: { readonly after?: number; readonly follow?: boolean },
    options?: Options,
  ): AsyncIterable<ExecEvent>;
  checks(backends?: readonly string[], options?: Options): Promise<readonly BackendCheck[]>;
  /** Keys by which hosts show who they are. Throws `not_supported` for a backend whose places have none. */
  readonly trust: {
    /** Asks every host of the backend, and changes nothing. */
    look(backend: string, options?: Options): Promise<readonly HostKey[]>;
    /** A person has compared the fingerprint: the key is known from now on. It is on record in the audit. */
    confirm(backend: string, key: Pick<HostKey, 'host' | 'fingerprint'>, options?: Options): Promise<void>;
  };
  readonly config: ConfigView;
  /** Tells what would be decided about commands; nothing is run, and no engine is asked. */
  readonly policy: {
    checker(query: CheckQuery): Promise<Checker>;
    /** Tries every rule on its own examples, which takes some fifty milliseconds. */
    examples(): Promise<readonly RuleExamples[]>;
    /** Rules that are written somewhere and have no effect, such as what a project would allow, with their places. */
    ignored(): Promise<readonly { readonly source: string; readonly rule: string }[]>;
    readonly approvals: {
      /** Commands that wait for an answer, in all processes of the state directory. */
      list(): Promise<readonly ApprovalView[]>;
      /** Throws `not_found`, `conflict` when it is too late, `permission_denied` inside a command that Caisson runs. */
      answer(id: string, choice: Choice, by: string): Promise<void>;
      /** YOLO for one task, from now on or no longer. For people who are there: never let a task reach it. */
      skip(taskId: string, on: boolean): void;
    };
  };
  /** Every decision and every run, in a chain of hashes over all processes of the state directory. */
  readonly audit: {
    /** The last records, oldest first; with `follow`, also those to come, until the signal fires. */
    tail(how: { readonly count: number; readonly follow?: boolean }, options?: Options): AsyncIterable<AuditRecord>;
    /** Whether all records are there and as they were written. */
    verify(): Promise<Verification>;
  };
  /** Who may talk to an agent through a messenger. */
  readonly access: AccessApi;
  /** Scripts that see a command before it runs. Each is run only as it was when it was accepted. */
  readonly hooks: {
    list(): Promise<readonly HookView[]>;
    /** Without names, all that can be used. Answers what became of them. */
    accept(names: readonly string[]): Promise<readonly HookView[]>;
  };
  /** MCP servers, which the caller starts as its own child processes. */
  readonly mcpServers: {
    names(): readonly string[];
    /**
     * What to start one with, without a shell: of this host's environment PATH, HOME, USER, LANG, LC_ALL, TERM, SHELL,
     * TMPDIR and XDG_*, and what its configuration sets. `env` holds secrets: it is for the child alone. Throws `not_found`.
     */
    child(name: string): McpChild;
  };
  readonly images: {
    list(options?: Options): Promise<
      readonly {
        readonly backend: string;
        readonly reference: string;
        readonly id: string;
        readonly bytes: number;
        readonly created: string;
      }[]
    >;
    /** Names of the recipes that can be built. */
    recipes(): Promise<readonly { readonly name: string; readonly reference: string; readonly about: string }[]>;
    build(
      recipe: string,
      how: { readonly method?: 'packages' | 'dockerfile' },
      options?: Options,
    ): Promise<{ readonly reference: string; readonly id: string }>;
  };
  readonly secrets: {
    /** For one text. Values of forwarded variables, and of these names, are secrets whatever they look like. */
    redactor(how?: { readonly names?: readonly string[] }): Redactor;
    /** Looks for prompt injection in a file before it becomes a part of a prompt. */
    scan(file: { readonly name: string; readonly bytes: Uint8Array }): Promise<ScanResult>;
    /** Accepts exactly these bytes from now on. Throws `failed_precondition` for content that no person can have read. */
    approve(result: ScanResult): Promise<void>;
  };
  /** Ends what belongs to this process: its ephemeral sandboxes, its leases, its connections. Idempotent. */
  close(): Promise<void>;
}

/** The configuration in force, for people. Values of the environment are never in it, only names. */
export interface ConfigView {
  readonly home: string;
  /** What was noticed while loading: a repaired store, a setting without effect. */
  readonly notices: readonly string[];
  show(): readonly { readonly key: string; readonly value: unknown; readonly origin: string }[];
  /** JSON Schema of the file. */
  schema(): Promise<object>;
}
