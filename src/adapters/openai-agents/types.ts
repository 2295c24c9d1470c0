/** Shapes of @openai/agents 0.20, written out: nothing of it is imported. A fixture compares them with its own types. */

export interface PathGrant {
  path: string;
  hostPath?: string;
  readOnly: boolean;
  description?: string;
}

/** One entry of a manifest; its type decides which other fields it has. */
export interface Entry {
  readonly type: string;
}

/** What the adapter reads of a `Manifest`. */
export interface ManifestShape {
  readonly version: number;
  readonly root: string;
  readonly entries: Readonly<Record<string, Entry>>;
  readonly environment: Readonly<Record<string, { init(): unknown }>>;
  readonly users: readonly object[];
  readonly groups: readonly object[];
  readonly extraPathGrants: readonly PathGrant[];
  readonly remoteMountCommandAllowlist: readonly string[];
  resolveEnvironment(): Promise<Record<string, string>>;
}

interface PathPolicy {
  resolve(path?: string, options?: { forWrite?: boolean }): { path: string };
}

/** `applyDiff` of the package, and three exports of its `/sandbox`. */
export interface Framework<M extends ManifestShape> {
  applyDiff(input: string, diff: string, mode?: 'default' | 'create'): string;
  cloneManifest(input: object): M;
  readonly Manifest: abstract new (...args: never) => M;
  readonly WorkspacePathPolicy: new (options: { root: string; extraPathGrants?: PathGrant[] }) => PathPolicy;
}

export interface State<M> {
  manifest: M;
  taskId: string;
  /** Whether the session made the task, and `delete` removes it. */
  owned: boolean;
  workspaceReady: boolean;
  environment: Record<string, string>;
  [key: string]: unknown;
}

export interface ExecArgs {
  cmd: string;
  workdir?: string;
  shell?: string;
  login?: boolean;
  tty?: boolean;
  yieldTimeMs?: number;
  maxOutputTokens?: number;
  runAs?: string;
}

export interface ExecResult {
  output: string;
  stdout: string;
  stderr: string;
  wallTimeSeconds: number;
  exitCode?: number | null;
  sessionId?: number;
  originalTokenCount?: number;
}

export interface WriteStdinArgs {
  sessionId: number;
  chars?: string;
  yieldTimeMs?: number;
  maxOutputTokens?: number;
}

interface CreateFile {
  type: 'create_file';
  path: string;
  diff: string;
}

interface UpdateFile {
  type: 'update_file';
  path: string;
  diff: string;
  moveTo?: string | undefined;
}

interface DeleteFile {
  type: 'delete_file';
  path: string;
}

interface Patched {
  status?: 'completed' | 'failed';
  output?: string;
}

export interface Editor {
  createFile(operation: CreateFile): Promise<Patched>;
  updateFile(operation: UpdateFile): Promise<Patched>;
  deleteFile(operation: DeleteFile): Promise<Patched>;
}

export interface DirectoryEntry {
  name: string;
  path: string;
  type: 'file' | 'dir' | 'other';
}

interface PathArgs {
  path: string;
  runAs?: string;
}

/** `SandboxSession`. */
export interface Session<M extends ManifestShape> {
  state: State<M>;
  start(): Promise<void>;
  running(): Promise<boolean>;
  stop(): Promise<void>;
  shutdown(): Promise<void>;
  delete(): Promise<void>;
  createEditor(runAs?: string): Editor;
  exec(args: ExecArgs): Promise<ExecResult>;
  execCommand(args: ExecArgs): Promise<string>;
  writeStdin(args: WriteStdinArgs): Promise<string>;
  readFile(args: PathArgs & { maxBytes?: number }): Promise<Uint8Array>;
  listDir(args: PathArgs): Promise<DirectoryEntry[]>;
  pathExists(path: string, runAs?: string): Promise<boolean>;
  directoryExists(path: string, runAs?: string): Promise<boolean>;
  materializeEntry(args: PathArgs & { entry: Entry }): Promise<void>;
  applyManifest(manifest: M, runAs?: string): Promise<void>;
  persistWorkspace(): Promise<Uint8Array>;
  hydrateWorkspace(data: string | ArrayBuffer | Uint8Array): Promise<void>;
  resolveExposedPort(port: number): Promise<never>;
  supportsPty(): boolean;
}

/** `SandboxClient`. */
export interface Client<M extends ManifestShape> {
  backendId: string;
  create(args?: { manifest?: object; snapshot?: object } | M): Promise<Session<M>>;
  resume(state: State<M>): Promise<Session<M>>;
  delete(state: State<M>): Promise<void>;
  serializeSessionState(state: State<M>): Promise<Record<string, unknown>>;
  deserializeSessionState(state: Record<string, unknown>): Promise<State<M>>;
  canPersistOwnedSessionState(state: State<M>): boolean;
}
