/**
 * The API as both sides have it: the library in its own process, and the client of a service. A stream is read with `for await`
 * and written with `write` and `end`; what else a stream of Node can do is not used here.
 */
import type { TaskHandle } from '../../src/service/verbs/task-handle.ts';
import type { CaissonClient, ClientRunning, ClientRunningText } from '../../src/client/types.ts';
import type { AddressVerdict, CheckQuery, Decision, PolicyApi, UrlQuery } from '../../src/service/api.ts';

/** The library's `Writable` answers no promise. */
export interface Sink {
  write(bytes: Uint8Array): unknown;
  end(): unknown;
}

type Portable<Running> = Omit<Running, 'stdin'> & { readonly stdin: Sink | null };

type Start = CaissonClient['execs']['start'];
type StartText = CaissonClient['sessions']['exec'];

interface Starts {
  start(...args: Parameters<Start>): Promise<Portable<ClientRunning>>;
}

interface StartsTexts {
  exec(...args: Parameters<StartText>): Promise<Portable<ClientRunningText>>;
}

/** A verdict of the library is there at once, one of a service comes. */
interface Checks {
  checker(
    query: CheckQuery,
  ): Promise<(command: string | readonly [string, ...string[]]) => Decision | Promise<Decision>>;
}

interface ChecksUrls extends Omit<CaissonClient['network'], 'checker'> {
  checker(): Promise<(query: UrlQuery) => AddressVerdict | Promise<AddressVerdict>>;
}

type Same = Omit<
  CaissonClient,
  'exec' | 'execs' | 'sessions' | 'policy' | 'network' | 'task' | 'close' | typeof Symbol.asyncDispose
>;

export interface Api extends Same {
  readonly exec: Starts['start'];
  readonly execs: Omit<CaissonClient['execs'], 'start'> & Starts;
  readonly sessions: Omit<CaissonClient['sessions'], 'exec'> & StartsTexts;
  readonly policy: Omit<PolicyApi, 'checker'> & Checks;
  readonly network: ChecksUrls;
  task(id: string): TaskHandle<Omit<Api, 'task'>>;
  close(): Promise<void>;
}
