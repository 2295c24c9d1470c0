/** One line of the record of a command, as the journal keeps it and as clients read it. */
import type { Exit } from './exit.ts';

export type StreamName = 'stdout' | 'stderr';

/** Place in which a command ran. Part of every result. */
export interface Where {
  /** Name of the backend. */
  readonly backend: string;
  /** Task of the exec. */
  readonly taskId: string;
  /** Id of the sandbox. */
  readonly sandboxId: string;
  /** Machine or account, in the place's own terms. `null`: not known. */
  readonly host: string | null;
  /** Resource in the place: a container id, a directory. `null`: not known. */
  readonly resource: string | null;
  /** Whether the sandbox was made anew for this exec. */
  readonly recreated: boolean;
}

/** One line of an exec's record. `seq` starts at 1 and has no holes within what is kept. */
export interface ExecEvent {
  /** Id of the exec. */
  readonly execId: string;
  /** Number of the event within its exec, from 1 on. */
  readonly seq: number;
  /** RFC 3339. */
  readonly at: string;
  /** Content by its type. */
  readonly event:
    | {
        readonly type: 'started';
        readonly command: readonly string[];
        readonly cwd: string;
        /** User of the sandbox that runs it. Absent: the one that runs all its commands. */
        readonly user?: string;
        /** It runs on a terminal, for which its output is meant. */
        readonly tty: boolean;
        readonly where: Where;
      }
    | { readonly type: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
    /** A part that is not there any more, or never was kept. */
    | { readonly type: 'gap'; readonly stream: 'stdout' | 'stderr'; readonly bytes: number }
    | { readonly type: 'exit'; readonly exit: Exit };
}
