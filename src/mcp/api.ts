/** What the tools ask, of the library or of a client of a running service: of what runs, they read the record alone. */
import type { CaissonApi, FileTools, Running, RunningText } from '../service/api.ts';

type Content = Awaited<ReturnType<FileTools['read']>>;

type Streams = 'stdin' | 'stdout' | 'stderr';

/** A command that the library or a client has started: neither its output nor its input is used. */
export type StartedCommand = Omit<Running, Streams>;

export interface McpApi extends Pick<CaissonApi, 'sandboxes' | 'approvals'> {
  readonly execs: Pick<CaissonApi['execs'], 'get' | 'cancel' | 'logs'> & {
    start: (...args: Parameters<CaissonApi['execs']['start']>) => Promise<StartedCommand>;
  };
  readonly processes: Omit<CaissonApi['processes'], 'input'>;
  readonly sessions: Pick<CaissonApi['sessions'], 'list' | 'close'> & {
    exec: (...args: Parameters<CaissonApi['sessions']['exec']>) => Promise<Omit<RunningText, Streams>>;
  };
  readonly files: Pick<FileTools, 'write' | 'list' | 'stat' | 'search'> & {
    read: (...args: Parameters<FileTools['read']>) => Promise<Omit<Content, 'bytes'> & { readonly bytes: Uint8Array }>;
  };
}
