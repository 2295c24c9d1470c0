/** Starts something for a client and follows its record: the reader may be slow, leave or come back, and the command goes on. */
import { randomBytes } from 'node:crypto';
import { CaissonError } from '../../errors.ts';
import type { LogInput, Options, Running, RunningText } from '../../service/api.ts';
import { Stream } from '../reply.ts';
import { keyOf } from '../held/live.ts';
import type { StreamEvent } from './framing.ts';
import type { Start } from '../held/starts.ts';
import { untilClosing } from './until.ts';
import { wireOf } from './wire.ts';
import type { Call } from '../types.ts';

interface Starting {
  readonly call: Call;
  readonly waitForApproval: boolean | undefined;
  readonly execId: string | undefined;
  readonly start: (options: Options) => Promise<Running | RunningText>;
  /** Called with what runs, before its output is read. */
  readonly started?: (running: Running) => void;
}

export type Waiting = Pick<Starting, 'call' | 'waitForApproval' | 'execId'>;

/** Rejects with what refuses it at once; what comes after a question is an event of the stream. */
export async function startStreamed(how: Starting): Promise<Stream> {
  const { call, started } = how;
  checkWaiting(how);
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<string>();
  const before = beforeStart(call, how.execId);
  const waits = how.waitForApproval ?? true;
  const question = waits ? { waits, onAsked } : { waits };
  const starting = how
    .start({ ...call.options, signal: before.signal, question })
    .finally(before.over)
    .then((running) => {
      started?.(running);
      running.ignore();
      call.service.live.add(call.token, running);
      return running;
    });
  const first = await Promise.race([starting, asked.then((approvalId) => ({ approvalId }))]);
  return streamOf(call, async function* (signal) {
    if ('approvalId' in first) yield { type: 'approval-required', ...first };
    const running = await starting;
    for await (const event of recordOf(call, running.id, { follow: true, signal }))
      yield await withFacts(event, running);
  });
}

/** The record has what the command did; who starts it also gets what is known of it here. */
async function withFacts(event: StreamEvent, running: Running | RunningText): Promise<StreamEvent> {
  if (event['type'] === 'started') return { ...event, placed: placedOf(running) };
  if (event['type'] !== 'exit') return event;
  const exit = await running.exit;
  return 'session' in running ? { ...event, exit, session: await running.session } : { ...event, exit };
}

function placedOf(running: Running | RunningText): StreamEvent {
  const { how, lostSince, degraded, unsetVariables, missingFiles } = running;
  const session = 'session' in running ? { session: { restored: running.restored, lost: running.lost } } : {};
  return { how, lostSince, degraded, unsetVariables, missingFiles, ...session };
}

export function streamOf(call: Call, open: (signal: AbortSignal) => AsyncIterable<StreamEvent>): Stream {
  const { signal, after, service, requestId } = call;
  return new Stream(untilClosing(open, { signal, after, requestId, closing: service.closing }));
}

/** From where the client has read to, until it has ended. */
export async function* recordOf(
  { api, after }: Pick<Call, 'api' | 'after'>,
  id: string,
  { signal, ...how }: Omit<LogInput, 'after'> & { readonly signal: AbortSignal },
): AsyncGenerator<StreamEvent, void, void> {
  for await (const event of api.execs.logs(id, { ...how, after }, { signal })) yield wireOf(event);
}

export function checkWaiting({ waitForApproval, execId }: Pick<Starting, 'waitForApproval' | 'execId'>): void {
  if (waitForApproval === false && execId === undefined)
    throw new CaissonError('invalid_argument', 'waitForApproval false needs an execId', {
      remedy: `choose one, such as exec_${randomBytes(8).toString('hex')}, and repeat the request with it`,
    });
}

/** Begins a start in `Starts`, under the id of the request and its token alone, since another token may be bound to another task. */
export function beforeStart({ signal: left, service, token }: Call, execId: string | undefined): Start {
  const key = execId === undefined ? null : keyOf(token.id, execId);
  return service.starts.begin(key, { left, closing: service.closing });
}
