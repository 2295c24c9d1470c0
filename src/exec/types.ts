/** What the exec room takes and gives. Front ends see these through `caisson.ts`. */
import type { Readable, Writable } from 'node:stream';
import type { Exit } from '../values/exit.ts';
import type { StreamName } from '../values/exec-event.ts';

export interface ExecRequest {
  /**
   * Chosen by the client, or random: `exec_` and 1 to 64 of [A-Za-z0-9_-]. It belongs to one request: repeated, it is the same
   * exec and runs nothing, and another request with it is a `conflict`. Remembered for `exec.retention_seconds` after the
   * start, and at most among the last million.
   */
  readonly execId: string;
  readonly command: readonly [string, ...string[]];
  /** Absolute, inside the sandbox. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `env` holds declared secrets. Absent: it does not. */
  readonly confidential?: boolean;
  /** User of the sandbox that runs it, in a form that `checkUser` takes. Absent: the one that runs all its commands. */
  readonly user?: string;
  readonly stdin: boolean;
  readonly tty: { readonly columns: number; readonly rows: number } | null;
  /** `null`: no deadline. */
  readonly timeoutMs: number | null;
  /** The command is killed when it has written this much on both streams together. `null`: never. */
  readonly outputLimitBytes: number | null;
}

/**
 * A running exec. Its streams have back-pressure: a reader that has begun and stops stops the command. A stream that is not
 * read holds nothing up: what its buffer does not take goes to the record, up to `exec.spill_bytes`, and a reader that comes
 * later gets it from there. Once the command has ended, no reader is waited for, and the exit resolves.
 */
export interface Execution {
  /** Id of the exec. */
  readonly id: string;
  /** Input of the command. `null`: it reads end of file at once. */
  readonly stdin: Writable | null;
  /** Standard output; on a terminal both streams. */
  readonly stdout: Readable;
  /** Standard error; empty on a terminal. */
  readonly stderr: Readable;
  /** Never rejects: what went wrong after the start is an exit with reason `lost`. */
  readonly exit: Promise<Exit>;
  /** Gives up one stream, or both: it ends here, and is still counted and recorded. */
  ignore(stream?: StreamName): void;
  /** Kills the whole tree. Resolves when the exec has settled; the exit tells the reason `canceled`. */
  cancel(): Promise<void>;
  /** Present on a terminal only. */
  readonly resize?: (columns: number, rows: number) => Promise<void>;
}

/** Head and tail of one stream, cut at character edges, with the number of bytes left out. */
export interface KeptStream {
  /** The output; the line `[... N bytes are left out here ...]` stands between head and tail where bytes are left out. */
  readonly text: string;
  /** Bytes that the command wrote on this stream, also those left out. */
  readonly bytes: number;
  /** Whether bytes are left out. */
  readonly truncated: boolean;
  /** Bytes left out between head and tail. */
  readonly omittedBytes: number;
  /** Index into `text` at which the head ends and that line begins. `null` when no bytes are left out. */
  readonly cutAt: number | null;
  /** Index into `text` at which the tail begins. The command can write such a line itself; these two indexes cannot be forged. */
  readonly cutTo: number | null;
}
