/** Scripts of the operator that see a command before it runs. */

/** One entry of `hooks` in the configuration. */
export interface Hook {
  /** A program and its arguments. The program starts with `/`, with `~/`, or stands in the state directory. */
  readonly command: readonly [string, ...string[]];
  readonly timeoutMs: number;
  /** Whether a hook that fails refuses the command. */
  readonly failClosed: boolean;
}

/** Hooks by tool; `*` stands for all tools. */
export type Hooks = Readonly<Record<string, readonly Hook[]>>;

/** The input of a script, as JSON on its standard input. */
export interface HookPayload {
  readonly hook_event_name: 'pre_tool_call';
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly session_id: string;
  readonly cwd: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** One script as people see it. */
export interface HookView {
  /** Tool before which the hook runs; `*`: all tools. */
  readonly tool: string;
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Absolute path of the program. */
  readonly path: string;
  /** What is pinned: the program, and each argument that names a regular file. */
  readonly files: readonly { readonly path: string; readonly sha256: string | null }[];
  /** `changed`: it is not what was accepted. `unusable`: it is absent, or others may write it. */
  readonly state: 'accepted' | 'new' | 'changed' | 'unusable';
  /** Reason why the hook cannot run, so that calls are refused. `null`: it can run. */
  readonly problem: string | null;
}
