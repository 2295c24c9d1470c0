/** Shapes of deepagents 1.14, written out: nothing of it is imported. A fixture compares them with its own types. */

export interface Framework {
  readonly BaseSandbox: abstract new () => object;
}

export interface FileInfo {
  path: string;
  is_dir?: boolean;
  size?: number;
  modified_at?: string;
}

export interface Executed {
  output: string;
  exitCode: number | null;
  truncated: boolean;
}

export type FileError = 'file_not_found' | 'permission_denied' | 'is_directory' | 'invalid_path';

export interface Download {
  path: string;
  content: Uint8Array | null;
  error: FileError | null;
}

export interface Upload {
  path: string;
  error: FileError | null;
}

export interface Read {
  error?: string;
  content?: string | Uint8Array;
  mimeType?: string;
  totalLines?: number;
  startLine?: number;
  endLine?: number;
  nextOffset?: number;
}

export interface Raw {
  error?: string;
  data?: { content: string | Uint8Array; mimeType: string; created_at: string; modified_at: string };
}

export interface Files {
  error?: string;
  files?: FileInfo[];
  truncated?: boolean;
}

export interface Greps {
  error?: string;
  matches?: { path: string; line: number; text: string }[];
  truncated?: boolean;
}

export interface Changed {
  error?: string;
  path?: string;
  filesUpdate?: null;
}

export interface Edited extends Changed {
  occurrences?: number;
}

/** `SandboxBackendProtocolV2`. */
export interface DeepAgentsSandbox {
  readonly id: string;
  execute(command: string): Promise<Executed>;
  uploadFiles(files: [string, Uint8Array][]): Promise<Upload[]>;
  downloadFiles(paths: string[]): Promise<Download[]>;
  ls(path: string): Promise<Files>;
  read(filePath: string, offset?: number, limit?: number): Promise<Read>;
  readRaw(filePath: string): Promise<Raw>;
  write(filePath: string, content: string): Promise<Changed>;
  edit(filePath: string, oldString: string, newString: string, replaceAll?: boolean): Promise<Edited>;
  grep(pattern: string, path?: string | null, glob?: string | null, maxCount?: number | null): Promise<Greps>;
  glob(pattern: string, path?: string): Promise<Files>;
  delete(filePath: string): Promise<Changed>;
}
