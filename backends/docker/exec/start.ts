/** The requests that start a command in a container, and what goes with its first moments. */
import { randomBytes } from 'node:crypto';
import type { ExecOptions, NotStarted } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { throwIfAborted } from '../../shared/abort.ts';
import { Channel } from './channel.ts';
import { headerBytes } from './demux.ts';
import { Ending, inspectExec } from './ending.ts';
import type { Engine } from '../engine/engine.ts';
import { isAway } from '../engine/fault.ts';
import { object, text } from '../engine/json.ts';
import { checkCommand } from '../container/limits.ts';

export type Command = readonly [string, ...string[]];

/** A container as its execs see it. */
export interface Container {
  readonly engine: Engine;
  readonly id: string;
  readonly trusted: boolean;
  /** User of its commands. Absent: the container's own. */
  readonly user?: string;
}

export interface Terminal {
  readonly columns: number;
  readonly rows: number;
}

export interface StartOptions extends ExecOptions {
  readonly terminal: Terminal | null;
  /** Why a program could not be started; asked when the engine says so. */
  readonly classify?: () => Promise<NotStarted | null>;
}

/**
 * A sequence that is never typed, because the default one (ctrl-p, ctrl-q) would detach a terminal, and holds back every
 * ctrl-p until the next key.
 */
const detachKeys = 'ctrl-@,ctrl-_,ctrl-@,ctrl-_,ctrl-@,ctrl-_';
const startFailureMaxBytes = 4096;
/** A command that the engine has accepted. */
export interface AcceptedExec {
  readonly execId: string;
  /** What its environment carries, by which it is found inside the container. */
  readonly mark: string;
  readonly ending: Ending;
  readonly channel: Channel;
}

export async function startExec(container: Container, command: Command, options: StartOptions): Promise<AcceptedExec> {
  checkCommand(command, options);
  // A signal finds the exec by its mark, so there is one even for a caller who sets none.
  const mark = options.env['CAISSON_EXEC'] ?? `exec_${randomBytes(12).toString('hex')}`;
  // Beside each other: nothing of the exec happens before its start, and an exec that is only created leaves nothing behind.
  const [execId] = await Promise.all([
    createExec(container, command, { ...options, env: { ...options.env, CAISSON_EXEC: mark } }),
    container.engine.events.ready(),
  ]);
  throwIfAborted(options);
  const { engine, id, trusted } = container;
  const ending = new Ending({ engine, container: id, execId, trusted });
  const channel = await attach(container, { execId, ending, options });
  ending.attached(channel);
  if (options.terminal) await resizeExec(engine, execId, options.terminal);
  return { execId, mark, ending, channel };
}

async function createExec(container: Container, command: Command, options: StartOptions): Promise<string> {
  const { terminal } = options;
  const answer = await container.engine.ask({
    what: 'start the command',
    method: 'POST',
    path: `/containers/${container.id}/exec`,
    quiet: true,
    signal: options.signal,
    body: {
      Cmd: command,
      Env: Object.entries(options.env).map(([name, value]) => `${name}=${value}`),
      ...(container.user === undefined ? {} : { User: container.user }),
      WorkingDir: '/',
      AttachStdin: options.stdin,
      AttachStdout: true,
      AttachStderr: true,
      Privileged: false,
      Tty: terminal !== null,
      ...(terminal ? { DetachKeys: detachKeys, ConsoleSize: [terminal.rows, terminal.columns] } : {}),
    },
  });
  const id = text(object(answer)['Id']);
  if (id === null || !/^[0-9a-f]{1,128}$/.test(id))
    throw new CaissonError('internal', 'the engine gave no id for the command');
  return id;
}

async function attach(
  container: Container,
  exec: { execId: string; ending: Ending; options: StartOptions },
): Promise<Channel> {
  const { execId, ending, options } = exec;
  const tty = options.terminal !== null;
  const size = options.terminal ? { ConsoleSize: [options.terminal.rows, options.terminal.columns] } : {};
  try {
    const connection = await container.engine.hijack({
      what: 'start the command',
      onSent: options.onSent,
      path: `/exec/${execId}/start`,
      body: { Detach: false, Tty: tty, ...size },
      quiet: true,
    });
    return new Channel(connection, {
      tty,
      stdin: options.stdin,
      onActivity: () => ending.active(),
      onHeld: () => ending.held(),
      onEnd: () => ending.streamsEnded(),
      ...(tty ? {} : { onFirst: (chunk: Buffer) => dropStartFailure(container.engine, { execId, ending }, chunk) }),
    });
  } catch (error) {
    ending.abandon(new CaissonError('unavailable', 'the command was not started', { cause: error }));
    throw error;
  }
}

/**
 * When the runtime cannot start a command, the engine writes its reason as if it were the command's stdout. Then the
 * first chunk is one whole frame that ends in CR LF, and the exec has no pid. Such words are not the command's output, and
 * are dropped: the exit code says what they say.
 */
function dropStartFailure(
  engine: Engine,
  { execId, ending }: { readonly execId: string; readonly ending: Ending },
  chunk: Buffer,
): Promise<'pass' | 'drop'> | null {
  const whole =
    chunk.length > headerBytes &&
    chunk.length <= startFailureMaxBytes &&
    chunk.readUInt32BE(4) === chunk.length - headerBytes;
  if (!whole || chunk[0] !== 1 || chunk.readUInt16BE(chunk.length - 2) !== 0x0d0a) return null;
  return inspectExec(engine, execId).then(
    (state) => {
      if (state.running || state.pid || state.exitCode === null) return 'pass';
      ending.neverStarted();
      return 'drop';
    },
    // Not known: then they stay where the engine put them.
    () => 'pass',
  );
}

/** The engine answers 500 about a process that has ended, or has not quite begun; only an engine that is away is a failure. */
export async function resizeExec(engine: Engine, execId: string, terminal: Terminal): Promise<void> {
  const query = { w: terminal.columns, h: terminal.rows };
  await engine
    .ask({ what: 'resize the terminal', method: 'POST', path: `/exec/${execId}/resize`, query, quiet: true })
    .catch((error: unknown) => {
      if (!(error instanceof CaissonError) || isAway(error)) throw error;
    });
}
