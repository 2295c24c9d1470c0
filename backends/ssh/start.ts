/** Starts a command on the host, once. */
import { randomBytes } from 'node:crypto';
import type { ClientChannel, PseudoTtyOptions } from 'ssh2';
import type { PtyProcess } from '../../src/backend.ts';
import { CaissonError, isCode } from '../../src/errors.ts';
import { shellText } from '../../src/lib/script.ts';
import { untilAborted } from '../shared/abort.ts';
import { NotStartedProcess } from '../shared/not-started.ts';
import { SessionRefused } from './connection.ts';
import type { PooledSession, Pool } from './pool.ts';
import { commandLine, type Launch, notStartedOf, preamble, shellLine } from '../shared/preamble.ts';
import { type ProcessId, SshProcess } from './process.ts';
import { endChannel } from './wire.ts';

export interface StartOptions {
  readonly signal?: AbortSignal | undefined;
  readonly urgent?: boolean;
  /** See `ExecOptions.onSent`. */
  readonly onSent?: (() => void) | undefined;
}

interface Session {
  readonly channel: ClientChannel;
  readonly place: PooledSession;
  /** It stood ready: its shell was there before, and may have gone. */
  readonly stoodReady: boolean;
}

const maxTries = 3;
/** sshd counts a session until it has cleared it away, a moment after it was closed. */
const maxTriesAlone = 8;
const pauseMs = 10;

/**
 * Throws what keeps the command from being started. From the moment the text is on its way it is never sent again,
 * unless the shell that should read it ended without an answer; when the connection breaks then, the process is returned
 * all the same, and its end is not known.
 */
export async function startProcess(pool: Pool, launch: Launch, options: StartOptions = {}): Promise<PtyProcess> {
  const nonce = randomBytes(12).toString('hex');
  const text = preamble(launch, nonce);
  for (let mayBeReady = launch.terminal === null; ; mayBeReady = false) {
    const session = await openSession(pool, { launch, text, mayBeReady }, options);
    const process = processOn(session, { pool, nonce, stdin: launch.stdin });
    options.onSent?.();
    session.channel.write(text);
    if (!launch.stdin && launch.terminal === null) session.channel.end();
    const starting = begun(process, launch, session.stoodReady);
    const started = await untilAborted(starting, options.signal, (late) => late !== null && void endLate(late));
    if (started === null) continue;
    session.place.connection.prepareSpare();
    return started;
  }
}

function processOn(
  { channel, place }: Session,
  { pool, ...rest }: { readonly pool: Pool; readonly nonce: string; readonly stdin: boolean },
): SshProcess {
  return new SshProcess({ channel, place, ...rest, signaler: (id, signal) => sendSignal(pool, id, signal) });
}

interface Opening {
  readonly launch: Launch;
  readonly text: Buffer;
  readonly mayBeReady: boolean;
}

/** Nothing is started by this: the shell waits for its text, and ends without it. So it may be tried again. */
async function openSession(pool: Pool, opening: Opening, { signal, urgent = false }: StartOptions): Promise<Session> {
  for (let tries = 1; ; tries += 1) {
    const place = await pool.take({ signal, urgent });
    try {
      return await sessionOn(place, opening, signal);
    } catch (error) {
      place.leave();
      if (error instanceof SessionRefused) await place.connection.prepared.close();
      await mayTryAgain(error, tries);
    }
  }
}

async function sessionOn(
  place: PooledSession,
  { launch, text, mayBeReady }: Opening,
  signal: AbortSignal | undefined,
): Promise<Session> {
  const { connection } = place;
  const taken = mayBeReady ? connection.prepared.take() : Promise.resolve(null);
  const ready = await untilAborted(taken, signal, (late) => late !== null && endChannel(late));
  if (ready !== null) {
    ready.write(`${shellLine(launch, text)}\n`);
    return { channel: ready, place, stoodReady: true };
  }
  const options = launch.terminal === null ? {} : { pty: pseudoTerminal(launch.terminal) };
  const channel = await untilAborted(connection.exec(commandLine(launch, text), options), signal, endChannel);
  return { channel, place, stoodReady: false };
}

/** Throws what cannot be helped by another try. */
async function mayTryAgain(error: unknown, tries: number): Promise<void> {
  const refused = error instanceof SessionRefused;
  if (refused && !error.alone) return;
  if (!refused && !(isCode(error, 'unavailable') && tries < maxTries)) throw error;
  if (!refused) return;
  if (tries >= maxTriesAlone)
    throw new CaissonError('resource_exhausted', error.message, {
      cause: error,
      remedy: 'raise MaxSessions in the configuration of sshd there, or see its log',
    });
  await new Promise((resolve) => setTimeout(resolve, tries * pauseMs));
}

function pseudoTerminal({ columns, rows }: NonNullable<Launch['terminal']>): PseudoTtyOptions {
  // Echo off from the start: the text must not come back.
  return { cols: columns, rows, term: 'xterm', modes: { ECHO: 0, ICANON: 0, ISIG: 0, IXON: 0, ICRNL: 0 } };
}

/** Waits for the shell's answer. `null`: it had stood ready, and ended before it could read what to do. */
async function begun(process: SshProcess, launch: Launch, stoodReady: boolean): Promise<PtyProcess | null> {
  let head: string;
  try {
    head = await process.head;
  } catch (error) {
    if (isCode(error, 'unavailable')) return await orRefusal(process, launch, { error, stoodReady });
    throw error;
  }
  const [word, pid, born = ''] = head.split(' ');
  const missing = notStartedOf(word);
  if (missing !== null) {
    process.release();
    return Object.assign(new NotStartedProcess(missing, launch.stdin), { resize: async () => undefined });
  }
  if (word !== 'ok') {
    process.release();
    throw startRefusedError(word ?? '', launch);
  }
  process.id = { pid: Number(pid), born };
  return process;
}

/** The connection is gone: then the command may run, and its end is lost. An end without an answer: it never began. */
async function orRefusal(
  process: SshProcess,
  { carrier = null }: Launch,
  { error, stoodReady }: { readonly error: unknown; readonly stoodReady: boolean },
): Promise<PtyProcess | null> {
  const end = await process.wait().catch(() => null);
  if (end === null) return process;
  process.release();
  if (stoodReady) return null;
  if (carrier === null) throw error;
  throw end.exitCode === cannotExecute ? argumentsTooLongError(error) : noScopeError(error);
}

/** Exit code of a shell whose `exec` failed; here before any program of the caller is looked for. */
const cannotExecute = 126;

function argumentsTooLongError(cause: unknown): CaissonError {
  return new CaissonError('invalid_argument', 'the arguments and variables are longer than the host takes', {
    cause,
    remedy: 'pass what is long by a file or by standard input',
  });
}

function startRefusedError(word: string, { cwd, guard }: Launch): CaissonError {
  const sandbox = guard?.sandbox ?? '';
  if (word === 'gone') return new CaissonError('not_found', `sandbox ${sandbox} is gone`, { details: { sandbox } });
  if (word === 'stopped')
    return new CaissonError('failed_precondition', `sandbox ${sandbox} is stopped`, { remedy: 'start it first' });
  if (word === 'cwd')
    return new CaissonError('invalid_argument', `the working directory ${cwd} is not a directory that can be entered`, {
      details: { cwd },
      remedy: 'create it first, or choose another cwd',
    });
  if (word === 'scope') return noScopeError(null);
  return new CaissonError('not_supported', 'the host has no /proc, by which processes are found', {
    remedy: 'use a host with Linux',
  });
}

/** A command without its limits is not what was asked for. */
function noScopeError(cause: unknown): CaissonError {
  return new CaissonError('unavailable', 'systemd on the host does not start a scope, so the command was not started', {
    cause,
    remedy: 'look whether `systemd-run --scope true` works there (with --user where the account is not root)',
  });
}

/** Ends the command of an aborted start. */
async function endLate(process: PtyProcess): Promise<void> {
  try {
    await process.kill('SIGKILL');
  } catch {
    // The tree is core's to find by its mark.
  } finally {
    process.release();
  }
}

async function sendSignal(pool: Pool, { pid, born }: ProcessId, signal: string): Promise<void> {
  const command = [
    'sh',
    '-c',
    shellText('backends/ssh/signal'),
    'sh',
    String(pid),
    born,
    signal.slice('SIG'.length),
  ] as const;
  const launch: Launch = { command, cwd: '/', env: {}, stdin: false, guard: null, terminal: null };
  const process = await startProcess(pool, launch, { urgent: true });
  for (const stream of [process.stdout, process.stderr]) stream.resume();
  try {
    await process.wait();
  } finally {
    process.release();
  }
}
