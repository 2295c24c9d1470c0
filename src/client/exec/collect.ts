/** Runs something and gets its result alone: the service collects head and tail, and keeps the result for a client that comes back. */
import { abortError, CaissonError } from '../../errors.ts';
import type { KeptStream, Options, RunResult } from '../../service/api.ts';
import type { ByteSource } from '../types.ts';
import { withNotes } from '../../exec/heard.ts';
import { isAway } from '../wire/away.ts';
import { checkAborted, type Patience } from '../wire/patience.ts';
import { shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { checkWhere, exitIn } from './events.ts';
import { Input } from './input.ts';
import { Listening } from './listening.ts';
import { cancelQuietly } from './start.ts';

export interface Collecting {
  readonly path: string;
  readonly execId: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Through the socket. `null`: none, or it is in the body. */
  readonly input: ByteSource | null;
}

/** Throws what refuses it. A signal that fires cancels the command; its result then says so, where it had started. */
export async function runCollected<Result extends RunResult>(
  wire: Wire,
  wanted: Collecting,
  options: Options = {},
): Promise<Result> {
  const { signal } = options;
  const leaving = new AbortController();
  checkAborted(signal);
  const abort = (): void => void cancel(wire, wanted.execId, leaving);
  signal?.addEventListener('abort', abort, { once: true });
  const ended = new AbortController();
  if (wanted.input !== null) void feed(wire, wanted.execId, wanted.input, ended.signal);
  const listening = new Listening(wire, { execId: wanted.execId, hearing: options, signal: ended.signal });
  try {
    const result = checked(shaped<Result>(await resultOf(wire, wanted, { signal: leaving.signal, options }), {}));
    return { ...result, exit: withNotes(result.exit, await listening.notes) };
  } catch (error) {
    throw leaving.signal.aborted && signal !== undefined ? abortError(signal) : error;
  } finally {
    ended.abort();
    signal?.removeEventListener('abort', abort);
  }
}

/** One that has not started is taken back by leaving. */
async function cancel(wire: Wire, execId: string, leaving: AbortController): Promise<void> {
  try {
    await wire.json({ method: 'DELETE', path: `/v1/execs/${execId}`, repeatable: true });
  } catch {
    leaving.abort();
    await cancelQuietly(wire, execId);
  }
}

interface How {
  readonly signal: AbortSignal;
  readonly options: Options;
}

async function resultOf(wire: Wire, wanted: Collecting, { signal, options }: How): Promise<unknown> {
  const patience = wire.patience();
  const either = AbortSignal.any([signal, wire.closing]);
  for (;;) {
    try {
      return await attempt(wire, wanted, { signal, options, patience });
    } catch (error) {
      if (!isAway(error)) throw error;
      await patience.wait(error, either);
    }
  }
}

async function attempt(
  wire: Wire,
  { path, execId, body }: Collecting,
  { signal, options: { question }, patience }: How & { readonly patience: Patience },
): Promise<unknown> {
  const waits = question?.waits === false ? { waitForApproval: false } : {};
  const ask = { method: 'POST', path, body: { ...body, execId, collect: true, ...waits }, signal } as const;
  for await (const event of wire.events(ask)) {
    patience.renew();
    if (event['type'] === 'result') return event['result'];
    if (event['type'] === 'approval-required') question?.onAsked?.(String(event['approvalId']).slice(0, 64));
  }
  throw new CaissonError('unavailable', 'the stream of the service ended before its end', { details: { sent: true } });
}

/** What a command does not read is not a failure: it may end without having read its input. */
async function feed(wire: Wire, execId: string, source: ByteSource, signal: AbortSignal): Promise<void> {
  const input = new Input(wire, { execId, reopens: false, signal });
  try {
    await sent(input, source);
    await input.end();
  } catch {
    // The command would wait for the rest of it for ever.
    if (!signal.aborted) await cancelQuietly(wire, execId);
  }
}

/** A source that breaks ends the input, as it does in the library. */
async function sent(input: Input, source: ByteSource): Promise<void> {
  const parts = source[Symbol.asyncIterator]();
  for (;;) {
    const next = await parts.next().catch(() => null);
    if (next === null || next.done === true) return;
    await input.write(next.value);
  }
}

function checked<Result extends RunResult>(result: Result): Result {
  shaped<RunResult>(result, { execId: 'text', where: 'object', exit: 'object', stdout: 'object', stderr: 'object' });
  checkWhere(result.where);
  exitIn(result.exit);
  return { ...result, stdout: keptIn(result.stdout), stderr: keptIn(result.stderr) };
}

/** Without what the HTTP API says beside it. */
function keptIn(value: unknown): KeptStream {
  const { text, bytes, truncated, omittedBytes, cutAt, cutTo } = shaped<KeptStream>(value, {
    text: 'text',
    bytes: 'number',
    truncated: 'flag',
    omittedBytes: 'number',
    cutAt: 'number?',
    cutTo: 'number?',
  });
  return { text, bytes, truncated, omittedBytes, cutAt, cutTo };
}
