/** Runs something for a client that wants its result alone: none of its output is sent before, and it goes on when the client leaves. */
import { PassThrough, type Readable } from 'node:stream';
import { CaissonError } from '../../errors.ts';
import type { Options, RunResult } from '../../service/api.ts';
import type { Stream } from '../reply.ts';
import { beforeStart, checkWaiting, streamOf, type Waiting } from './exec.ts';
import type { StreamEvent } from './framing.ts';
import { resultOf } from './result.ts';
import { unlessAborted } from './until.ts';
import type { Call } from '../types.ts';

interface Run extends Waiting {
  readonly run: (options: Options, input: Readable | null) => Promise<RunResult>;
  /** Its stdin comes through the socket. */
  readonly stdin?: boolean | undefined;
}

/** A refusal within this time has a status of its own; later the head of the answer has gone, so that no proxy gives up. */
const headMs = 1000;

/** Rejects with what refuses it at once. Repeated with its `execId`, it gives the result of the same exec. */
export async function runCollected({ call, execId, run, waitForApproval, stdin }: Run): Promise<Stream> {
  if (execId === undefined)
    throw new CaissonError('invalid_argument', 'collect needs an execId, by which the result is found again');
  checkWaiting({ waitForApproval, execId });
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<string>();
  const question = { waits: waitForApproval ?? true, onAsked };
  const { options, over } = detached(call, execId, question);
  const input = stdin === true ? new PassThrough() : null;
  const running = run(options, input).finally(over);
  keepReachable(call, execId, { input, running });
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), headMs);
  const first = await Promise.race([running, asked, late.promise]).finally(() => clearTimeout(timer));
  return streamOf(call, async function* (signal): AsyncGenerator<StreamEvent, void, void> {
    if (typeof first === 'string') yield { type: 'approval-required', approvalId: first };
    yield { type: 'result', result: resultOf(await unlessAborted(running, signal)) };
  });
}

/** A client that leaves before the start takes it back. */
function detached(
  call: Call,
  execId: string,
  question: { readonly waits: boolean; readonly onAsked: (id: string) => void },
) {
  const before = beforeStart(call, execId);
  const options: Options = {
    ...call.options,
    signal: before.signal,
    question: question.waits ? question : { waits: false },
    onTimed: (phase, ms) => {
      if (phase === 'start') before.over();
      call.options.onTimed?.(phase, ms);
    },
  };
  return { options, over: before.over };
}

/** Keeps the command reachable by its socket, and for a service that stops: it gives the command its time to end. */
function keepReachable(
  { service, token, api }: Call,
  id: string,
  { input, running }: { readonly input: PassThrough | null; readonly running: Promise<unknown> },
): void {
  const exit = running.then(
    () => null,
    () => null,
  );
  service.live.add(token, { id, stdin: input, exit, cancel: async () => await api.execs.cancel(id) });
}
