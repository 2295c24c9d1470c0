/** Starts an exec through the service, or comes back to one by its id. The id is always chosen here, so that nothing runs twice. */
import { abortError, CaissonError } from '../../errors.ts';
import type { Options, Running, Where } from '../../service/api.ts';
import type { ClientRunning } from '../types.ts';
import { followed } from '../wire/followed.ts';
import type { LineObject } from '../wire/lines.ts';
import { shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { whereIn } from './events.ts';
import { Input } from './input.ts';
import { Following } from './running.ts';

export interface StartRequest {
  readonly path: string;
  readonly execId: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly stdin: boolean;
  readonly tty: boolean;
}

export interface StartedExec {
  readonly running: ClientRunning;
  /** First event of the request that started the command: what the service knows beside the record. */
  readonly first: LineObject;
  readonly last: Promise<LineObject | null>;
}

type ExecFacts = Pick<Running, 'how' | 'lostSince' | 'degraded' | 'unsetVariables' | 'missingFiles'>;

export async function startExec(wire: Wire, wanted: StartRequest, options: Options = {}): Promise<StartedExec> {
  const { execId } = wanted;
  const leaving = new AbortController();
  const taken = takenBack(wire, execId, { leaving, signal: options.signal });
  const events = eventsOf(wire, wanted, { signal: leaving.signal, options });
  try {
    const first = await firstOf(events, options);
    taken.started();
    const following = new Following(wire, { execId, events, leave: () => leaving.abort() });
    taken.onAbort(() => void following.cancel().catch(() => undefined));
    void following.exit.finally(taken.over);
    return { first, last: following.last, running: runningOf(wire, wanted, { following, first }) };
  } catch (error) {
    taken.over();
    leaving.abort();
    if (options.signal?.aborted === true) throw abortError(options.signal);
    throw error;
  }
}

function eventsOf(
  wire: Wire,
  { path, execId, body }: StartRequest,
  { signal, options }: { readonly signal: AbortSignal; readonly options: Options },
): AsyncGenerator<LineObject, void, void> {
  const waits = options.question?.waits === false ? { waitForApproval: false } : {};
  return followed(wire, {
    signal,
    first: { method: 'POST', path, body: { ...body, execId, ...waits }, signal },
    next: (after) => ({ method: 'GET', path: `/v1/execs/${execId}`, query: { after }, signal }),
    isLast: ({ type }) => type === 'exit',
  });
}

async function firstOf(events: AsyncGenerator<LineObject, void, void>, { question }: Options): Promise<LineObject> {
  for (;;) {
    const { value: event } = await events.next();
    if (event?.['type'] === 'started') return event;
    if (event?.['type'] !== 'approval-required')
      throw new CaissonError('failed_precondition', 'the beginning of the record of the exec is gone', {
        remedy: 'choose another id to run the command again',
      });
    question?.onAsked?.(String(event['approvalId']).slice(0, 64));
  }
}

/** A signal that fires before the start takes the command back: the service cancels what its client left before. */
function takenBack(
  wire: Wire,
  execId: string,
  { leaving, signal }: { readonly leaving: AbortController; readonly signal: AbortSignal | undefined },
) {
  let hasStarted = false;
  let act = (): void => {
    leaving.abort();
    if (!hasStarted) void cancelQuietly(wire, execId);
  };
  const fire = (): void => act();
  if (signal?.aborted === true) fire();
  signal?.addEventListener('abort', fire, { once: true });
  return {
    started: (): void => {
      hasStarted = true;
    },
    onAbort: (other: () => void): void => {
      act = other;
      if (signal?.aborted === true) other();
    },
    over: (): void => signal?.removeEventListener('abort', fire),
  };
}

/** It may have started while the signal fired. */
export async function cancelQuietly(wire: Wire, execId: string): Promise<void> {
  await wire.json({ method: 'DELETE', path: `/v1/execs/${execId}` }).catch(() => undefined);
}

interface StartStream {
  readonly following: Following;
  readonly first: LineObject;
}

function runningOf(wire: Wire, wanted: StartRequest, { following, first }: StartStream): ClientRunning {
  const { execId, stdin, tty } = wanted;
  const input = new Input(wire, { execId, reopens: tty, signal: wire.closing });
  void following.exit.then(() => input.close());
  const where: Where = whereIn(first);
  return {
    id: execId,
    where,
    ...placedIn(first),
    stdin: stdin ? input : null,
    stdout: following.stdout,
    stderr: following.stderr,
    exit: following.exit,
    ignore: (stream) => following.ignore(stream),
    cancel: async () => await following.cancel(),
    ...(tty ? { resize: async (columns, rows) => await input.resize(columns, rows) } : {}),
  };
}

/** An event without `placed` is that of an exec found by its id after a lost connection, and yields what the library has then. */
function placedIn({ placed }: LineObject): ExecFacts {
  if (placed === undefined)
    return { how: 'found', lostSince: null, degraded: [], unsetVariables: [], missingFiles: [] };
  const { how, lostSince, degraded, unsetVariables, missingFiles } = shaped<ExecFacts>(placed, {
    how: 'text',
    lostSince: 'text?',
    degraded: 'list',
    unsetVariables: 'list',
    missingFiles: 'list',
  });
  return { how, lostSince, degraded, unsetVariables, missingFiles };
}
