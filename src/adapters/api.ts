/** The part of the API that adapters use, by shape: the library and the client of a service both fit. */
import type { RunResult, SandboxRequest, SandboxView } from '../service/api.ts';
import type { Exit } from '../values/exit.ts';

export interface Cancel {
  readonly signal?: AbortSignal;
}

export interface Command {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | null;
  readonly stdin?: boolean;
  readonly tty?: { readonly columns: number; readonly rows: number };
}

/** `Writable` of Node and `ByteSink` of the client. */
export interface Input {
  /** The client's promise resolves, and Node calls back, when more may be written. */
  write(bytes: Uint8Array | string, done?: () => void): unknown;
  end(): unknown;
  on?(event: 'close' | 'error', listener: () => void): unknown;
  off?(event: 'close', listener: () => void): unknown;
}

export interface Started {
  readonly id: string;
  readonly stdin: Input | null;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly exit: Promise<Exit>;
  cancel(): Promise<void>;
}

interface At {
  readonly task: string;
  readonly path: string;
}

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size: number;
  readonly modifiedAt: string;
}

interface Found {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Files {
  read(
    input: At & { readonly offset?: number; readonly length?: number },
    options?: Cancel,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number; readonly sha256: string | null }>;
  stream(input: At, options?: Cancel): Promise<{ readonly size: number; readonly parts: AsyncIterable<Uint8Array> }>;
  write(
    input: At & { readonly bytes: string | Uint8Array; readonly expected?: string | null },
    options?: Cancel,
  ): Promise<unknown>;
  patch(
    input: At & {
      readonly edits: readonly { readonly find: string; readonly replace: string; readonly all?: boolean }[];
    },
    options?: Cancel,
  ): Promise<unknown>;
  list(input: At, options?: Cancel): Promise<{ readonly entries: readonly Entry[]; readonly truncated: boolean }>;
  stat(input: At, options?: Cancel): Promise<Entry>;
  remove(input: At & { readonly recursive?: boolean }, options?: Cancel): Promise<void>;
  search(
    input: At & { readonly pattern: string; readonly name?: string; readonly most?: number },
    options?: Cancel,
  ): Promise<{ readonly matches: readonly Found[]; readonly truncated: boolean }>;
  archive(input: At, options?: Cancel): Promise<{ readonly parts: AsyncIterable<Uint8Array> }>;
  unpack(input: At & { readonly archive: AsyncIterable<Uint8Array> }, options?: Cancel): Promise<unknown>;
}

/** `CaissonApi` of the library, `CaissonClient` of `caisson/client`. */
export interface Caisson {
  run(request: SandboxRequest & Command, options?: Cancel): Promise<RunResult>;
  exec(request: SandboxRequest & Command, options?: Cancel): Promise<Started>;
  readonly sandboxes: {
    create(request: SandboxRequest, options?: Cancel): Promise<{ readonly sandbox: SandboxView }>;
    get(task: string, options?: Cancel): Promise<SandboxView>;
    stop(task: string, options?: Cancel): Promise<void>;
    remove(task: string, how?: { readonly keepFiles?: boolean }, options?: Cancel): Promise<void>;
  };
  readonly files: Files;
}
