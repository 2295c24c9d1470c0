/** The events of a detached process, from any position on, also while it runs. */
import { finished } from 'node:stream';
import type { Process } from '../../backend.ts';
import { abortError } from '../../errors.ts';
import { exitOf } from '../outcome.ts';
import type { Exit, StreamSummary } from '../exit.ts';
import { carried } from '../../inside/carried.ts';
import { execVariable } from '../../values/exec-variable.ts';
import type { ExecEvent, StreamName, Where } from '../types.ts';
import { findProcess, type Kept, unknownProcess } from './list.ts';
import { type Position, positionAt, seqOf } from './position.ts';
import { processScript, statuses } from './scripts.ts';
import type { DetachedProcess } from './types.ts';

export interface FollowOptions {
  readonly after: number;
  readonly follow: boolean;
  readonly where: Where;
  readonly cwd: string;
}

/** A follower inside without a reader ends by itself after this long; a reader starts the next one. */
const rounds = 300;
const mostQueued = 64;

export async function* followProcess(
  kept: Kept,
  id: string,
  options: FollowOptions,
): AsyncGenerator<ExecEvent, void, void> {
  const delivered = positionAt(options.after);
  if (delivered?.over === true) return;
  const first = await findProcess(kept, id);
  let position: Position = delivered ?? { stdout: 0, stderr: 0, over: false };
  const event = (at: string | null, what: ExecEvent['event']): ExecEvent => ({
    execId: id,
    seq: seqOf(position),
    at: at ?? new Date().toISOString(),
    event: what,
  });
  if (delivered === null) {
    const { command, startedAt } = first;
    yield event(startedAt, { type: 'started', command, cwd: options.cwd, where: options.where });
  }
  for (;;) {
    const look = await startFollower(kept, { id, position, rounds: options.follow ? rounds : 0 });
    for await (const [name, bytes] of look.chunks) {
      position = { ...position, [name]: position[name] + bytes.length };
      yield event(null, { type: name, bytes });
    }
    const { status, whole } = await look.end;
    if (status === statuses.unknown) throw unknownProcess(id);
    // A connection that was cut has left bytes behind: the next look goes on from the last one that arrived.
    if (status === 0 && whole) break;
    if (!options.follow && whole) return;
  }
  const last = await findProcess(kept, id);
  const before = position;
  position = { ...position, over: true };
  yield event(last.endedAt, { type: 'exit', exit: exitOfProcess(last, before) });
}

interface Follower {
  readonly chunks: AsyncIterable<readonly [StreamName, Buffer]>;
  /** The status of the script, and whether all that it wrote arrived. */
  readonly end: Promise<{ readonly status: number | null; readonly whole: boolean }>;
}

async function startFollower(
  { sandbox, key, signal }: Kept,
  look: { readonly id: string; readonly position: Position; readonly rounds: number },
): Promise<Follower> {
  const { stdout, stderr } = look.position;
  const args = [key, look.id, String(stdout), String(stderr), String(look.rounds)];
  // With stdin, so that it takes no lane from short commands.
  const { command, env } = carried('follow', processScript('follow'), args);
  const process = await sandbox.exec(command, {
    cwd: '/',
    env: { ...env, [execVariable]: 'follow' },
    stdin: true,
    ...(signal === undefined ? {} : { signal }),
  });
  process.stdin?.on('error', () => {}).end();
  const end = Promise.all([process.wait(), process.outputs()]).then(([{ exitCode }, outputs]) => ({
    status: exitCode,
    whole: outputs.is !== 'cut',
  }));
  end.catch(() => {}); // reported when it is awaited
  return { chunks: chunksOf(process, signal), end };
}

/** Both streams as they come; a reader that stops stops them. */
async function* chunksOf(
  process: Process,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly [StreamName, Buffer], void, void> {
  const queue: (readonly [StreamName, Buffer])[] = [];
  let open = 2;
  let wake = (): void => {};
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    stream.on('data', (chunk: Buffer) => {
      queue.push([name, chunk]);
      if (queue.length >= mostQueued) stream.pause();
      wake();
    });
    finished(stream, { writable: false }, () => {
      open -= 1;
      wake();
    });
  }
  const onAbort = (): void => wake();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      if (signal?.aborted === true) throw abortError(signal);
      const chunk = queue.shift();
      if (chunk !== undefined) yield chunk;
      else if (open === 0) return;
      else {
        resume(process);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Whether it could be ended now is of no interest: it ends by itself.
    if (open > 0) process.kill('SIGKILL').catch(() => {});
    process.release();
  }
}

function resume({ stdout, stderr }: Process): void {
  for (const stream of [stdout, stderr]) if (stream.isPaused()) stream.resume();
}

function exitOfProcess(process: DetachedProcess, delivered: Position): Exit {
  const { startedAt, endedAt, state, exitCode, truncated, backgroundOpen } = process;
  const byClockMs =
    startedAt === null || endedAt === null ? 0 : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
  return exitOf({
    forced: null,
    end: state === 'exited' ? { exitCode, signal: null, outOfMemory: false } : null,
    durationMs: process.durationMs ?? byClockMs,
    stdout: keptStream(delivered.stdout, truncated.stdout, state),
    stderr: keptStream(delivered.stderr, truncated.stderr, state),
    backgroundOpen,
    survivors: null,
    notes: notesOf(process),
  });
}

/** Its files hold all that it wrote, up to their limit; without an exit record their last bytes may be missing. */
function keptStream(bytes: number, truncated: boolean, state: DetachedProcess['state']): StreamSummary {
  return { bytes, truncated, complete: truncated ? false : state === 'exited' ? true : null };
}

function notesOf({ state, truncated }: DetachedProcess): readonly string[] {
  return [
    ...(state === 'lost' ? ['the process is gone, and its end was not recorded; its output may be incomplete'] : []),
    ...(truncated.stdout || truncated.stderr
      ? ['its output is incomplete: it exceeded the limit of a detached process']
      : []),
  ];
}
