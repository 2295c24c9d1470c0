/**
 * The API as a client of the service has it: the nouns and shapes of the library, with `AsyncIterable<Uint8Array>` where the
 * library has a `Readable`, and `ByteSink` where it has a `Writable`. A program that reads by `for await` runs on both.
 *
 * Verbs that no route serves throw `not_supported`, with the reason. Arguments that say who acts (`by`) are taken from the
 * token instead.
 */
import type { TaskHandle } from '../service/verbs/task-handle.ts';
import type {
  AccessApi,
  AddressVerdict,
  ApprovalsApi,
  AuditApi,
  BackendsApi,
  ByTask,
  CheckQuery,
  CodeInput,
  ConfigView,
  Decision,
  EventsApi,
  ExecInput,
  ExecsApi,
  FilesApi,
  FileTools,
  HistoryApi,
  ImagesApi,
  PoolApi,
  InstallationApi,
  McpServersApi,
  NetworkApi,
  Options,
  PolicyApi,
  ProcessesApi,
  RunInput,
  Running,
  RunningText,
  RunResult,
  SandboxesApi,
  SandboxRequest,
  SecretsApi,
  SessionInput,
  SessionsApi,
  TokensApi,
  UrlQuery,
} from '../service/api.ts';

/** The stdin of an exec. */
export interface ByteSink {
  /** Resolves when more may be written. Rejects when it cannot reach the command any more. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** End of file. Idempotent. */
  end(): Promise<void>;
}

export type ByteSource = AsyncIterable<Uint8Array>;

type Streams<T> = Omit<T, 'stdin' | 'stdout' | 'stderr'> & {
  /** Input of the command. `null`: it reads end of file at once. */
  readonly stdin: ByteSink | null;
  /** To be read once, or given up with `ignore`. What is not read stays on record on the service. */
  readonly stdout: ByteSource;
  /** Standard error, on the terms of `stdout`. */
  readonly stderr: ByteSource;
};

export type ClientRunning = Streams<Running>;
export type ClientRunningText = Streams<RunningText>;

export interface ClientRunInput extends Omit<RunInput, 'input'> {
  /** All of its input; a stream is not seen by who is asked about the command. */
  readonly input?: string | Uint8Array | ByteSource;
}

export interface ClientExecsApi extends Omit<ExecsApi, 'start' | 'run'> {
  /** Starts a command or program; see `ExecsApi.start`. */
  start(request: SandboxRequest & (CodeInput | ExecInput), options?: Options): Promise<ClientRunning>;
  /** Runs a command or program, with its output collected; see `ExecsApi.run`. */
  run(request: SandboxRequest & (CodeInput | ClientRunInput), options?: Options): Promise<RunResult>;
}

export interface ClientProcessesApi extends Omit<ProcessesApi, 'input'> {
  /** Passes input to a process, then end of file; see `ProcessesApi.input`. */
  input(processId: string, source: ByteSource, options?: Options): Promise<void>;
}

export interface ClientSessionsApi extends Omit<SessionsApi, 'exec'> {
  /** Starts a text; see `SessionsApi.exec`. */
  exec(input: ByTask<SessionInput>, options?: Options): Promise<ClientRunningText>;
}

type Content = Awaited<ReturnType<FileTools['read']>>;
type Stream = Awaited<ReturnType<FileTools['stream']>>;
type Archive = Awaited<ReturnType<FileTools['archive']>>;
type WriteInput = Parameters<FileTools['write']>[0];

/** What is written where it is too much for memory. */
export interface ClientFileSource {
  /** Bytes that the source gives. */
  readonly size: number;
  /** Hexadecimal. The service compares it. */
  readonly sha256: string;
  /** Opens the content from its beginning; called once. */
  readonly open: () => ByteSource;
}

export interface ClientFilesApi extends Omit<FilesApi, 'read' | 'stream' | 'write' | 'archive'> {
  /** Reads a part of a file; see `FileTools.read`. */
  read(
    input: Parameters<FileTools['read']>[0],
    options?: Options,
  ): Promise<Omit<Content, 'bytes'> & { readonly bytes: Uint8Array }>;
  /** Reads a whole file of any size; see `FileTools.stream`. */
  stream(
    input: Parameters<FileTools['stream']>[0],
    options?: Options,
  ): Promise<Omit<Stream, 'parts'> & { readonly parts: ByteSource }>;
  /** Writes a file, all or nothing; see `FileTools.write`. */
  write(
    input: Omit<WriteInput, 'bytes'> & { readonly bytes: string | Uint8Array | ClientFileSource },
    options?: Options,
  ): ReturnType<FileTools['write']>;
  /** Reads a directory as a tar archive; see `FileTools.archive`. */
  archive(
    input: Parameters<FileTools['archive']>[0],
    options?: Options,
  ): Promise<Omit<Archive, 'parts'> & { readonly parts: ByteSource }>;
}

export interface ClientPolicyApi extends Omit<PolicyApi, 'checker'> {
  /** Each call of the checker asks the service. */
  checker(query: CheckQuery): Promise<(command: string | readonly string[]) => Promise<Decision>>;
}

export interface ClientNetworkApi extends Omit<NetworkApi, 'checker'> {
  /** Each call of the checker asks the service. */
  checker(): Promise<(query: UrlQuery) => Promise<AddressVerdict>>;
}

/** Everything but what names the state directory of the service. */
export type ClientConfigView = Omit<ConfigView, 'home' | 'notices' | 'server'>;

export interface CaissonClient extends AsyncDisposable {
  /** The short form of `execs.run`. */
  run: ClientExecsApi['run'];
  /** The short form of `execs.start`. */
  exec: ClientExecsApi['start'];
  /** Sandboxes: one for each task. */
  readonly sandboxes: SandboxesApi;
  /** Commands and programs in sandboxes. */
  readonly execs: ClientExecsApi;
  /** Commands that outlive their request. */
  readonly processes: ClientProcessesApi;
  /** Shells that keep their state. */
  readonly sessions: ClientSessionsApi;
  /** Files inside sandboxes. */
  readonly files: ClientFilesApi;
  /** Sandboxes that are made ahead of demand. */
  readonly pool: PoolApi;
  /** Commands that wait for a person. */
  readonly approvals: ApprovalsApi;
  /** Verdicts about commands. */
  readonly policy: ClientPolicyApi;
  /** Destinations of filtered sandboxes. */
  readonly network: ClientNetworkApi;
  /** Record of decisions and runs. */
  readonly audit: AuditApi;
  /** What was done in sandboxes, and how it ended. */
  readonly history: HistoryApi;
  /** Changes of state, as they happen. */
  readonly events: EventsApi;
  /** Images of backends. */
  readonly images: ImagesApi;
  /** Secrets of the service: names, and what a text holds. */
  readonly secrets: SecretsApi;
  /** People who may talk to an agent through a messenger. */
  readonly access: AccessApi;
  /** Tokens of clients. */
  readonly tokens: TokensApi;
  /** State of backends and of their accounts. */
  readonly backends: BackendsApi;
  /** MCP servers of the configuration. */
  readonly mcpServers: McpServersApi;
  /** Configuration of the service. */
  readonly config: ClientConfigView;
  /** Figures and backup of the state directory of the service. */
  readonly installation: InstallationApi;
  /** Ends the connections of this client. Commands that run go on, and the service too. Idempotent. */
  close(): Promise<void>;
  /** The verbs of one task: `client.task('build').run({ command: ['make'] })`. */
  task(id: string): TaskHandle<Omit<CaissonClient, 'task'>>;
}

/** A listener for the steps of a request, by their names in the header `Server-Timing`, with milliseconds. */
export type ServerTimed = (step: string, ms: number) => void;
