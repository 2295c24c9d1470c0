/** The events of a detached process, from any position on, also while it runs. */
import { finished } from 'node:stream';
import type { Process } from '../../backend.ts';
import { abortError, CaissonError } from '../../errors.ts';
import { exitOf } from '../../values/outcome.ts';
import type { Exit, StreamSummary } from '../../values/exit.ts';
import { carried } from '../../inside/carried.ts';
import { execVariable } from '../../values/exec-variable.ts';
import type { ExecEvent, StreamName, Where } from '../../values/exec-event.ts';
import { findProcess, type ProcessDirectory, unknownProcessError } from './list.ts';
import { type Position, positionAt, seqOf } from './position.ts';
import { processScript, statuses } from './scripts.ts';
import { keptStreamBytes } from './start.ts';
import type { DetachedProcess } from './types.ts';

export interface FollowOptions {
  readonly after: number;
  readonly follow: boolean;
  readonly where: Where;
  readonly cwd: string;
}

/** A follower inside without a reader ends by itself after this long; a reader starts the next one. */
const rounds = 300;
const maxQueued = 64;

export async function* followProcess(
  kept: ProcessDirectory,
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
    yield event(startedAt, { type: 'started', command, cwd: options.cwd, tty: false, where: options.where });
  }
  for (;;) {
    const look = await startFollower(kept, { id, position, rounds: options.follow ? rounds : 0 });
    for await (const [name, bytes] of look.chunks) {
      position = { ...position, [name]: position[name] + bytes.length };
      // Its tools are the sandbox's, and may print more than they are asked for.
      if (position[name] > keptStreamBytes) throw outputTooLongError(id);
      yield event(null, { type: name, bytes });
    }
    const { status, whole } = await look.end;
    if (status === statuses.unknown) throw unknownProcessError(id);
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
  { sandbox, key, signal }: ProcessDirectory,
  look: { readonly id: string; readonly position: Position; readonly rounds: number },
): Promise<Follower> {
  const { stdout, stderr } = look.position;
  const numbers = [stdout, stderr, look.rounds, keptStreamBytes].map(String);
  const args = [key, look.id, ...numbers];
  // The stdin keeps it from taking a lane of short commands.
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
      if (queue.length >= maxQueued) stream.pause();
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
  const { startedAt, endedAt, state, exitCode, backgroundOpen } = process;
  const byClockMs =
    startedAt === null || endedAt === null ? 0 : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
  return exitOf({
    forced: null,
    end: state === 'exited' ? { exitCode, signal: null, outOfMemory: false } : null,
    durationMs: process.durationMs ?? byClockMs,
    stdout: keptStream('stdout', process, delivered),
    stderr: keptStream('stderr', process, delivered),
    backgroundOpen,
    survivors: null,
    notes: notesOf(process, delivered),
  });
}

/** Its files hold all that it wrote, up to their limit; without an exit record their last bytes may be missing. */
function keptStream(name: StreamName, process: DetachedProcess, delivered: Position): StreamSummary {
  const truncated = process.truncated[name];
  const isKnown = process.state === 'exited' && !isAtLimit(name, process, delivered);
  return { bytes: delivered[name], truncated, complete: truncated ? false : isKnown ? true : null };
}

/** It was read as far as files are read, and its supervisor did not say that there was more. */
function isAtLimit(name: StreamName, { truncated }: DetachedProcess, delivered: Position): boolean {
  return delivered[name] >= keptStreamBytes && !truncated[name];
}

function outputTooLongError(id: string): CaissonError {
  return new CaissonError(
    'resource_exhausted',
    `the sandbox prints more as the output of ${id} than is kept of a process`,
    {
      remedy: 'look into the sandbox: what it says of its processes is not from Caisson',
      details: { execId: id, keptStreamBytes },
    },
  );
}

function notesOf(process: DetachedProcess, delivered: Position): readonly string[] {
  const { state, truncated } = process;
  const longer = (['stdout', 'stderr'] as const).filter((name) => isAtLimit(name, process, delivered));
  return [
    ...longer.map((name) => `its ${name} is at the limit of what is kept, and what follows there is not shown`),
    ...(state === 'lost' ? ['the process is gone, and its end was not recorded; its output may be incomplete'] : []),
    ...(truncated.stdout || truncated.stderr
      ? ['its output is incomplete: it exceeded the limit of a detached process']
      : []),
  ];
}
