/** MCP servers of the configuration, as front ends see them. */
import type { SandboxRequest } from '../../plan/types.ts';
import type { Options } from '../types.ts';

export interface McpChild {
  /** Program, as the configuration names it. */
  readonly command: string;
  /** Arguments of the program. */
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface McpInside {
  /** Request for the sandbox of the server; to be passed on as it is. */
  readonly request: SandboxRequest;
  /** Program and arguments inside the sandbox. */
  readonly command: readonly [string, ...string[]];
  /** What it gets besides that which the sandbox has by itself. */
  readonly env: Readonly<Record<string, string>>;
  /** It runs in the sandbox of a task, whose commands can read what it is given. */
  readonly shares: boolean;
}

export interface McpCall {
  /** Name of the server in the configuration. */
  readonly server: string;
  /** Name of the tool, as the server lists it. */
  readonly tool: string;
  /** Arguments of the call as they came, for the person who is asked. */
  readonly arguments: unknown;
  /** Whose rules hold. */
  readonly taskId: string;
}

/** Started by the caller: as its own child processes, or in sandboxes. */
export interface McpServersApi {
  /** Lists the servers of the configuration. */
  names(): Promise<readonly string[]>;
  /** Whether `inside` runs one in the sandbox of a task. Throws `not_found`. */
  shares(name: string): Promise<boolean>;
  /**
   * What to start one with, without a shell: of this host's environment PATH, HOME, USER, LANG, LC_ALL, TERM, SHELL,
   * TMPDIR and XDG_*, and what its configuration sets. `env` holds secrets: it is for the child alone. Throws `not_found`.
   */
  child(name: string): Promise<McpChild>;
  /**
   * What to start one with in a sandbox of its own, or in that of `task` where its configuration says `share`. Of this host's
   * environment only LANG, LC_* and TERM, and what its configuration sets: `env` holds secrets. Throws `not_found`, and
   * `invalid_argument` where a task is missing or must not be named.
   */
  inside(name: string, how?: { readonly task?: string }): Promise<McpInside>;
  /**
   * Whether a call of a tool may pass to a server, by rules such as `mcp(NAME:TOOL)` and the mode. Throws `policy_denied` and
   * `approval_required` as commands do.
   */
  admit(call: McpCall, options?: Options): Promise<void>;
}
