/** Starts a command in the sandbox, once. */
import { randomBytes } from 'node:crypto';
import type { ExecOptions, Process } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { shellText } from '../../src/lib/script.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { NotStartedProcess } from '../shared/not-started.ts';
import { type Launch, notStartedOf, preamble, quote, shellLine } from '../shared/preamble.ts';
import { Conversation } from './conversation.ts';
import { endTerminal, type Link, openLink, type Size } from './link.ts';
import { MarkSearch } from './mark.ts';
import { pause } from './pause.ts';
import { CarriedProcess } from './process.ts';
import type { Handle } from './sdk.ts';

const markMs = 15_000;
const maxTries = 4;
const defaultSize: Size = { cols: 80, rows: 24 };

/** The sandbox, as commands need it. */
export interface StartTarget {
  readonly toolbox: () => Promise<Handle['process']>;
  /** Throws why no terminal can be had: the sandbox is gone, or does not run. */
  readonly explain: () => Promise<void>;
  readonly isThere: () => Promise<boolean>;
}

export interface Raw {
  readonly toolbox: Handle['process'];
  readonly id: string;
  readonly link: Link;
}

export async function startProcess(place: StartTarget, launch: Launch, options: ExecOptions): Promise<Process> {
  const nonce = randomBytes(12).toString('hex');
  const text = preamble(launch, nonce);
  // The final newline is removed here: carry.sh adds it when it passes the text to the shell, which reads it by `read` or `head`.
  const body = text.subarray(0, text.length - 1);
  const script = `cz_line=${quote(shellLine(launch, text))}\n${shellText('backends/daytona/carry')}\n`;
  let onBytes: (bytes: Buffer) => void = () => undefined;
  const raw = await openRaw(place, { script, size: defaultSize, onBytes: (bytes) => onBytes(bytes) }, options.signal);
  const conversation = new Conversation({ ...raw, isThere: place.isThere }, body);
  onBytes = (bytes) => conversation.feed(bytes);
  const process = new CarriedProcess(conversation, { nonce, stdin: launch.stdin });
  options.onSent?.();
  raw.link.send(Buffer.from(script));
  conversation.begin();
  return await untilAborted(begun(process, launch), options.signal, (late) => void endLate(late));
}

interface Opening {
  readonly script: string;
  readonly size: Size;
  readonly onBytes: (bytes: Buffer) => void;
}

/**
 * A terminal that reads `script`, which is still to be sent. Nothing is started by this, so that it may be tried again; one that
 * was left behind ends with its connection, or by the request that ends it.
 */
export async function openRaw(place: StartTarget, opening: Opening, signal?: AbortSignal): Promise<Raw> {
  for (let tries = 1; ; tries += 1) {
    throwIfAborted({ ...(signal === undefined ? {} : { signal }) });
    const toolbox = await untilAborted(place.toolbox(), signal);
    const id = `caisson-${randomBytes(9).toString('hex')}`;
    const attempt = openOnce(toolbox, id, opening);
    const raw = await untilAborted(attempt, signal, (late) => late !== null && void endTerminal(toolbox, id));
    if (raw !== null) return raw;
    void endTerminal(toolbox, id);
    await place.explain();
    if (tries >= maxTries) throw noTerminalError();
    await pause(50 * 2 ** tries * (0.75 + Math.random() / 2), signal);
  }
}

async function openOnce(
  toolbox: Handle['process'],
  id: string,
  { script, size, onBytes }: Opening,
): Promise<Raw | null> {
  const [first, second] = [randomBytes(9).toString('hex'), randomBytes(9).toString('hex')];
  const search = new MarkSearch(first + second);
  let found = false;
  const take = (bytes: Buffer): void => {
    if (found) return onBytes(bytes);
    const rest = search.feed(bytes);
    found = rest !== null;
    if (rest !== null && rest.length > 0) onBytes(rest);
  };
  try {
    const link = await openLink(toolbox, { id, size, onBytes: take });
    // The login shell becomes the one that reads: one line, shorter than a terminal takes at once.
    const boot = shellText('backends/daytona/boot').split('\n').join('; ');
    link.send(Buffer.from(` exec /bin/sh -c ${quote(boot)} sh ${first} ${second} ${Buffer.byteLength(script)}\n`));
    const isReady = await Promise.race([
      search.found.then(() => true),
      link.down.then(() => false),
      pause(markMs).then(() => false),
    ]);
    if (isReady) return { toolbox, id, link };
    link.close();
    return null;
  } catch {
    return null; // Why, is found out by asking for the sandbox.
  }
}

/** Waits for the shell's answer. */
async function begun(process: CarriedProcess, launch: Launch): Promise<Process> {
  const head = await headOf(process);
  if (head === null) return process;
  const [word, pid, born = ''] = head.split(' ');
  const missing = notStartedOf(word);
  if (missing !== null) {
    process.release();
    return new NotStartedProcess(missing, launch.stdin);
  }
  if (word !== 'ok' || !/^\d{1,10}$/.test(pid ?? '') || !/^\d{1,20}$/.test(born)) {
    process.release();
    throw startRefusedError(word ?? '', launch);
  }
  process.id = { pid: Number(pid), born };
  return process;
}

/** `null`: the connection is gone, so that the command may run, and its end is lost. */
async function headOf(process: CarriedProcess): Promise<string | null> {
  try {
    return await process.head;
  } catch (error) {
    const end = await process.wait().catch(() => null);
    if (end === null) return null;
    process.release();
    throw end.exitCode === cannotExecute ? argumentsTooLongError(error) : error;
  }
}

/** Exit code of a shell whose `exec` failed; here before any program of the caller is looked for. */
const cannotExecute = 126;

function argumentsTooLongError(cause: unknown): CaissonError {
  return new CaissonError('invalid_argument', 'the arguments and variables are longer than the sandbox takes', {
    cause,
    remedy: 'pass what is long by a file or by standard input',
  });
}

export function startRefusedError(word: string, { cwd }: Launch): CaissonError {
  if (word === 'cwd')
    return new CaissonError('invalid_argument', `the working directory ${cwd} is not a directory that can be entered`, {
      details: { cwd },
      remedy: 'create it first, or choose another cwd',
    });
  return new CaissonError('not_supported', 'the sandbox has no /proc, by which processes are found', {
    remedy: 'use a sandbox of the class container',
  });
}

function noTerminalError(): CaissonError {
  return new CaissonError('unavailable', 'the Daytona sandbox gives no terminal, by which commands are carried', {
    remedy: 'try again; see whether its image has a login shell that takes `exec /bin/sh`',
  });
}

/** Ends the command of an aborted start. */
async function endLate(process: Process): Promise<void> {
  await process.kill('SIGKILL').catch(() => undefined);
  process.release();
}
