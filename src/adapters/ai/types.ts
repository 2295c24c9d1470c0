/** Shapes of @ai-sdk/provider-utils 5, written out: nothing of it is imported. A fixture compares them with its own types. */

/** The module `ai` of version 7. */
export interface Framework {
  readonly generateText: (...args: never) => unknown;
  readonly tool: (...args: never) => unknown;
}

export interface PathInput {
  path: string;
  abortSignal?: AbortSignal | undefined;
}

export interface ProcessInput {
  command: string;
  workingDirectory?: string;
  env?: Record<string, string>;
  abortSignal?: AbortSignal;
}

export interface SpawnInput extends ProcessInput {
  stdin?: boolean;
}

export interface FileStat {
  type: 'file' | 'directory' | 'other';
  size: number;
}

export interface DirectoryEntry {
  name: string;
  type: 'file' | 'directory' | 'symlink' | 'other';
}

export interface Process {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  wait(): Promise<{ exitCode: number }>;
  kill(): Promise<void>;
}

export interface WritableProcess extends Process {
  readonly stdin: WritableStream<Uint8Array>;
}

/** `Experimental_SandboxSession`. */
export interface AiSandbox {
  readonly description: string;
  readonly readFile: (input: PathInput) => Promise<ReadableStream<Uint8Array> | null>;
  readonly readBinaryFile: (input: PathInput) => Promise<Uint8Array | null>;
  readonly readTextFile: (
    input: PathInput & { encoding?: string; startLine?: number; endLine?: number },
  ) => Promise<string | null>;
  readonly writeFile: (input: PathInput & { content: ReadableStream<Uint8Array> }) => Promise<void>;
  readonly writeBinaryFile: (input: PathInput & { content: Uint8Array }) => Promise<void>;
  readonly writeTextFile: (input: PathInput & { content: string; encoding?: string }) => Promise<void>;
  readonly stat: (input: PathInput) => Promise<FileStat | null>;
  readonly listDirectory: (input: PathInput) => Promise<DirectoryEntry[] | null>;
  readonly deleteFile: (input: PathInput) => Promise<boolean>;
  readonly spawn: {
    (input: ProcessInput & { stdin: true }): Promise<WritableProcess>;
    (input: ProcessInput & { stdin?: false }): Promise<Process>;
    (input: SpawnInput): Promise<Process | WritableProcess>;
  };
  readonly run: (input: ProcessInput) => Promise<{ exitCode: number; stdout: string; stderr: string }>;
}
