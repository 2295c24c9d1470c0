/** What callers of the API give, and what they get. The verbs are in `api.ts`. */
import type { Share } from '../budget/types.ts';
import type { Readable } from 'node:stream';
import type { Check, Progress, ResourceState } from '../backend.ts';
import type { DetachedProcess } from '../exec/detached/types.ts';
import type { Language } from '../exec/code.ts';
import type { Exit } from '../values/exit.ts';
import type { Hear } from '../exec/heard.ts';
import type { SessionEnd, SessionStart } from '../exec/session/types.ts';
import type { Execution, KeptStream } from '../exec/types.ts';
import type { Where } from '../values/exec-event.ts';
import type { Asking, Caller, Said, Timed } from '../values/caller.ts';
import type { View } from '../sandbox/view.ts';

export type * from './events.ts';
export type * from './lists.ts';
export type * from './configuration.ts';

export interface Options {
  /** Ends the call; a command that it started is killed. */
  readonly signal?: AbortSignal;
  /** Called now and then while a long step runs, such as the pull of an image. */
  readonly onProgress?: (progress: Progress) => void;
  /** On whose behalf: a client of the service (`owned.ts`). Absent: the program that opened Caisson. */
  readonly caller?: Caller;
  /** How the caller waits for a person when its command needs an approval. */
  readonly question?: Asking;
  /** Rules of this call alone, and where its caller stands. Not to be taken from a stranger: the caller is the operator. */
  readonly said?: Said;
  /** Called with each step of the call and its milliseconds. */
  readonly onTimed?: Timed;
  /** A share of the budget `file_bytes` that the caller holds for what it reads. Absent: the verb takes one for as long as it reads. */
  readonly held?: Share;
  /**
   * Called with each piece of output of a command as it comes, in order; a promise asks the next one to wait. `exit` and the
   * result come after the last piece. One that throws is not called again, and `exit.notes` says so. Of `exec`, the stream
   * belongs to its callback alone.
   */
  readonly onStdout?: Hear;
  /** Called with each piece of standard error, on the terms of `onStdout`. */
  readonly onStderr?: Hear;
}

export interface CheckOptions extends Options {
  /** Backends that may make resources, and remove them, to try what their place does. Absent: none; what earlier trials have shown counts. */
  readonly tried?: readonly string[];
}

export type { Asking, Caller, Said, Timed };

export interface CloseOptions {
  /**
   * Default true. False: the removal of an ephemeral sandbox that its place completes by itself is not waited for; its row stays
   * `destroying` until the next process of the state directory has seen that it is gone.
   */
  readonly awaitRemovals?: boolean;
  /** Default 60,000. A part of the end is given up when nothing of it has ended for so long; the rest is closed all the same. */
  readonly patienceMs?: number;
  /** Called for a part of the end that takes seconds, with what it waits for: ids of execs and sandboxes, names of backends. */
  readonly onWaiting?: (what: readonly string[]) => void;
}

export interface ExecInput {
  /** A known id gives the same exec, read from its record; nothing runs a second time. */
  readonly execId?: string;
  /** A program and its arguments; a text for a shell is `['sh', '-c', text]`. Throws `invalid_argument` for none, and for a text. */
  readonly command: readonly string[];
  /** Absolute directory inside. Absent: the sandbox's own. */
  readonly cwd?: string;
  /** Variables beside those of the sandbox, by name. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * User of the sandbox that runs it, by name or number, with a group or without: `app`, `1000:1000`. Absent: the one that runs all its
   * commands. `not_supported` where the backend has no other; `Guarantees.users` says what does not hold. Not for detached processes.
   */
  readonly user?: string;
  /**
   * SKILL.md files of this host, or their directories. Variables that they require and that are set here, and credential
   * files that are there, are passed on to this command and to later ones of its task. Never to be taken from a stranger: the caller is the operator.
   */
  readonly skills?: readonly string[];
  /** Whether its input is open. Default false: it reads end of file at once. */
  readonly stdin?: boolean;
  /** All of its stdin, a text or bytes, instead of `stdin`: who is asked about the command sees it, and the answer is for this input alone. */
  readonly input?: string | Uint8Array;
  /**
   * Output as the command wrote it, secrets and all; its record is without them. For programs of the operator: a front end
   * grants it to the operator's scope only. `permission_denied` inside a command that Caisson runs.
   */
  readonly rawOutput?: boolean;
  /** Runs it on a terminal of this size. Absent: without a terminal. */
  readonly tty?: { readonly columns: number; readonly rows: number };
  /** `null`: no deadline. Absent: `terminal.timeout`. */
  readonly timeoutMs?: number | null;
  /** Kills it when it has written this much on both streams together. Absent: never. */
  readonly outputLimitBytes?: number;
}

/** A sandbox as it is known: what was wanted, what was measured, and what is missing. */
export type SandboxView = View;

/** How the sandbox came to the caller. */
export interface Acquired {
  /** The sandbox. */
  readonly sandbox: SandboxView;
  /** `created`: made now. `found`: it was there. `started`: it was stopped. `recreated`: it had vanished and was made anew from the same spec; processes are gone, and files outside persistent directories too. */
  readonly how: 'created' | 'found' | 'started' | 'recreated';
  /**
   * The place had ended the sandbox by itself, and files were lost with it: those that are left are of this moment. RFC 3339,
   * UTC. `null`: nothing was lost since the last call.
   */
  readonly lostSince: string | null;
}

export interface Running extends Execution {
  /** Sandbox in which the command runs. */
  readonly where: Where;
  /** How its sandbox came to it, and what that sandbox lacks. */
  readonly how: Acquired['how'];
  /** See `Acquired.lostSince`. */
  readonly lostSince: Acquired['lostSince'];
  /** Controls that its sandbox lacks. */
  readonly degraded: SandboxView['degraded'];
  /** Names that a skill requires and that are not set here. */
  readonly unsetVariables: readonly string[];
  /** Credential files that are declared and not there. */
  readonly missingFiles: readonly string[];
}

export interface RunResult {
  /** Id of the exec. */
  readonly execId: string;
  /** Sandbox in which the command ran. */
  readonly where: Where;
  /** See `Acquired.lostSince`. */
  readonly lostSince: Acquired['lostSince'];
  /** How the command ended. */
  readonly exit: Exit;
  /** Head and tail of standard output. */
  readonly stdout: KeptStream;
  /** Head and tail of standard error. */
  readonly stderr: KeptStream;
}

/** A program to be run from a fresh directory that is removed afterwards. No secret of the configuration travels with it. */
export interface CodeInput extends Omit<ExecInput, 'command' | 'stdin' | 'input' | 'tty' | 'cwd'> {
  /** Language and text of the program. */
  readonly code: { readonly language: Language; readonly text: string | Uint8Array };
}

export interface RunInput extends Omit<ExecInput, 'input'> {
  /** What comes from a stream is not seen by who is asked about the command, and not judged. */
  readonly input?: string | Uint8Array | Readable;
}

export interface Detached {
  /** Id of the process, which is that of its exec. */
  readonly id: string;
  /** False when it had been started before under this id. */
  readonly started: boolean;
  /** Sandbox in which it runs. */
  readonly where: Where;
}

export interface TaskProcess extends DetachedProcess {
  /** Task of its sandbox. */
  readonly taskId: string;
  /** Id of its sandbox. */
  readonly sandboxId: string;
}

/** A row of a list. */
export interface ListedProcess extends Omit<TaskProcess, 'state'> {
  /** `unreadable`, in a list of all: the processes of this sandbox could not be read, and `id` is that of the sandbox. */
  readonly state: TaskProcess['state'] | 'unreadable';
  /** Why the sandbox could not be read. */
  readonly note?: string;
}

/** A text that runs, and has its session for itself until it has ended. */
export interface RunningText extends Running, SessionStart {
  /** Resolves when the session is free for the next text; after `exit`. Never rejects. */
  readonly session: Promise<SessionEnd>;
}

export interface SessionResult extends RunResult, SessionStart, SessionEnd {}

export interface BackendCheck {
  /** Name of the backend. */
  readonly backend: string;
  /** Path of the module, for a backend that the home's configuration names; `null` for all others. */
  readonly module: string | null;
  /** What its own check found. */
  readonly check: Check;
  /** What the defaults want of a sandbox and the place does not have: sandboxes go without it, and a request for it is refused. */
  readonly degraded: SandboxView['degraded'];
}

/** Something that runs, or is kept, in the account of a backend. */
export interface AccountItem {
  /** Name of the resource in the service's own tools. */
  readonly name: string;
  /** State that the service reports. */
  readonly state: ResourceState;
  /** RFC 3339, UTC. `null`, here and below: the service does not tell. */
  readonly since: string | null;
  /** Cores that it is billed for. */
  readonly cpuCores: number | null;
  /** Bytes of memory that it is billed for. */
  readonly memoryBytes: number | null;
  /** `this`: of this state directory. `other`: of another one. `none`: it has no labels of Caisson. */
  readonly owner: 'this' | 'other' | 'none';
  /** Task of a sandbox of Caisson. `null`: none. */
  readonly taskId: string | null;
}

export interface AccountView {
  /** Name of the backend. */
  readonly backend: string;
  /** What runs or is kept there. */
  readonly items: readonly AccountItem[];
  /** Why the service did not answer; then there are no items. */
  readonly error: string | null;
}

export interface CopyInput {
  /** A task id or a sandbox id. */
  readonly task: string;
  /** To the sandbox: a host path. From it: a path inside. */
  readonly source: string;
  /** From a sandbox: a host path. To it: a path inside. */
  readonly target: string;
  /** The caller confirms a target in another profile, or in a copy of the configuration. */
  readonly confirmed?: boolean;
  /** Most that a copy from a sandbox may bring. Absent: 64 GiB, and a million files and directories. */
  readonly limits?: { readonly bytes?: number; readonly entries?: number };
}

/** An exec as its record has it. */
export interface ExecView {
  /** Id of the exec. */
  readonly id: string;
  /** RFC 3339, UTC. */
  readonly startedAt: string;
  /** Without secrets. Empty where the record is gone: its exit is `lost` then. */
  readonly command: readonly string[];
  /** User of the sandbox that ran it. Absent: the one that runs all its commands. */
  readonly user?: string;
  /** Sandbox in which it ran. */
  readonly where: Where;
  /** `null`: it runs. */
  readonly exit: Exit | null;
}

/** The point at which a reader goes on, and whether it waits for more. */
export interface LogInput {
  /** Only events with a higher `seq`. */
  readonly after?: number;
  /** Until the exec has ended. */
  readonly follow?: boolean;
  /**
   * Only the last bytes of each stream that are on record now, and what comes; a gap says how many are left out. Absent: all. Not of
   * detached processes.
   */
  readonly tailBytes?: number;
}

export interface SessionName {
  /** Task of the session. */
  readonly taskId: string;
  /** Name within the task, with the grammar of task ids. */
  readonly name: string;
}

export interface ImageView {
  /** Backend that has it. */
  readonly backend: string;
  /** Name of the image. */
  readonly reference: string;
  /** Content address or id in the place. */
  readonly id: string;
  /** Bytes on the disk of the place. */
  readonly bytes: number;
  /** RFC 3339, UTC. */
  readonly created: string;
}
