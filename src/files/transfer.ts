/** Runs one of our scripts in a sandbox and tells how it ended. What it says on stderr is hostile, bounded and escaped. */
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Process, ProcessEnd, Sandbox } from '../backend.ts';
import { abortError, CaissonError, isCode } from '../errors.ts';
import { carried } from '../inside/carried.ts';
import { fromText, printable } from './byte-name.ts';
import { exits } from './exits.ts';
import { given } from '../lib/given.ts';

const keptStderrBytes = 4096;
const killMs = 2000;

export interface TransferOptions {
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

export interface Transfer {
  readonly process: Process;
  /** What the script said on stderr so far, escaped. */
  readonly said: () => string;
}

/**
 * `TAR_OPTIONS` of the image could make tar compress or talk. GNU tar alone knows it, and reads and writes in pieces of
 * 10 KiB by default, each of which wakes a chain of processes. Names and messages are bytes in the C locale.
 */
const fixedEnv = { LC_ALL: 'C', TAR_OPTIONS: '--blocking-factor=128' };

export async function startTransfer(sandbox: Sandbox, options: TransferOptions): Promise<Transfer> {
  const { script, args, stdin, signal } = options;
  try {
    const { command, env } = carried('files', script, args);
    const process = await sandbox.exec(command, {
      cwd: '/',
      env: { ...options.env, ...fixedEnv, ...env },
      stdin,
      ...given({ signal }),
    });
    return { process, said: collect(process.stderr) };
  } catch (error) {
    if (isCode(error, 'invalid_argument')) throw toolsMissingError(error);
    throw error;
  }
}

function collect(stderr: Readable): () => string {
  const kept: Buffer[] = [];
  let bytes = 0;
  stderr.on('data', (chunk: Buffer) => {
    if (bytes >= keptStderrBytes) return;
    kept.push(Buffer.from(chunk.subarray(0, keptStderrBytes - bytes)));
    bytes += chunk.length;
  });
  // A broken stream of messages changes nothing: the exit tells the outcome.
  stderr.on('error', () => {});
  return () => printable(Buffer.concat(kept).toString('latin1').trimEnd());
}

/** Settles as `wait` does, or with the signal's own error. */
export async function endOf(process: Process, signal: AbortSignal | undefined): Promise<ProcessEnd> {
  const ended = process.wait();
  if (signal === undefined) return ended;
  // Without this a late rejection of the one that lost would be unhandled.
  ended.catch(() => {});
  return Promise.race([ended, aborted(signal)]);
}

export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(abortError(signal));
    else signal.addEventListener('abort', () => reject(abortError(signal)), { once: true });
  });
}

/** For a copy that has failed already and says why: that a kill fails too, or hangs, adds nothing. */
export async function killNow(process: Process): Promise<void> {
  await Promise.race([process.kill('SIGKILL').catch(() => {}), setTimeout(killMs, undefined, { ref: false })]);
}

function toolsMissingError(cause: unknown): CaissonError {
  return new CaissonError('failed_precondition', 'the sandbox has no sh or no tar, which copying needs', {
    cause,
    remedy: 'use an image with sh and tar (BusyBox is enough); files cannot be copied without them',
  });
}

/** `null` when all went well. `path` is the path inside the sandbox that the caller named. */
export function transferError(end: ProcessEnd, path: string, said: string): CaissonError | null {
  if (end.exitCode === 0) return null;
  if (end.exitCode === 126 || end.exitCode === 127 || end.exitCode === exits.noTar) return toolsMissingError(undefined);
  const shown = printable(fromText(path));
  const details = { path: shown, exitCode: end.exitCode, signal: end.signal, stderr: said };
  const known = end.exitCode === null ? undefined : failures[end.exitCode];
  if (known === undefined && hasBrokenOff(end)) return transferBrokenError(shown, details);
  if (known === undefined) {
    return new CaissonError(
      'failed_precondition',
      `copying failed inside the sandbox at ${shown}${said === '' ? '' : `: ${said}`}`,
      {
        details,
        remedy: 'see stderr in the details; files that change, cannot be read or do not fit are the usual reasons',
      },
    );
  }
  // The exit code of a script of Caisson says no more than the code of the error.
  return new CaissonError(known.code, `${known.message(shown)}${said === '' ? '' : `: ${said}`}`, {
    details: { reason: known.reason, path: shown, stderr: said },
    remedy: known.remedy,
  });
}

/** Shells exit with these where they cannot start a process: dash and BusyBox with 2, bash with 254. */
const shellGaveUp: ReadonlySet<number> = new Set([2, 254]);
/** A shell reports the signal of a command above it. */
const signalStatus = 128;

/** Whether the script ended before it had an answer: a signal took it, or its shell had no process or memory left. */
function hasBrokenOff({ exitCode, signal }: ProcessEnd): boolean {
  return signal !== null || exitCode === null || exitCode > signalStatus || shellGaveUp.has(exitCode);
}

function transferBrokenError(shown: string, details: Readonly<Record<string, string | number | null>>): CaissonError {
  return new CaissonError('unavailable', `the program in the sandbox that worked on ${shown} broke off`, {
    details,
    remedy: 'try again; if it happens again, the sandbox is at its limit of memory or processes',
  });
}

interface Failure {
  readonly code:
    | 'not_found'
    | 'failed_precondition'
    | 'invalid_argument'
    | 'unavailable'
    | 'policy_denied'
    | 'conflict'
    | 'already_exists';
  /** For programs, in `details`: one code serves several of them. */
  readonly reason: string;
  readonly message: (path: string) => string;
  readonly remedy: string;
}

const failures: Readonly<Record<number, Failure>> = {
  [exits.denied]: {
    code: 'failed_precondition',
    reason: 'permission',
    message: (path) => `the user of the sandbox has no permission for ${path}`,
    remedy: 'check owner and mode of the path and of the directories above, or choose another place such as /tmp',
  },
  [exits.missing]: {
    code: 'not_found',
    reason: 'missing',
    message: (path) => `there is no ${path} in the sandbox`,
    remedy: 'check the path; a relative one starts where commands of the task start',
  },
  [exits.noParent]: {
    code: 'not_found',
    reason: 'no-parent',
    message: (path) => `the directory above ${path} is not there in the sandbox`,
    remedy: 'create it first: mkdir -p',
  },
  [exits.isDirectory]: {
    code: 'failed_precondition',
    reason: 'directory',
    message: (path) => `a directory is in the way at ${path}`,
    remedy: 'remove it, or choose another target',
  },
  [exits.directory]: {
    code: 'failed_precondition',
    reason: 'directory',
    message: (path) => `${path} is a directory`,
    remedy: 'list it, or name a file in it',
  },
  [exits.notDirectory]: {
    code: 'failed_precondition',
    reason: 'not-a-directory',
    message: (path) => `${path} is not a directory`,
    remedy: 'choose another path, or the directory it is in',
  },
  [exits.noScratch]: {
    code: 'failed_precondition',
    reason: 'not-writable',
    message: (path) => `the sandbox cannot write at ${path}`,
    remedy: 'choose a writable directory such as /tmp',
  },
  [exits.tarFailed]: {
    code: 'failed_precondition',
    reason: 'failed',
    message: (path) => `tar failed in the sandbox at ${path}`,
    remedy: 'check free space and permissions there',
  },
  [exits.incomplete]: {
    code: 'unavailable',
    reason: 'incomplete',
    message: (path) => `not everything arrived at ${path}; it is as it was`,
    remedy: 'try again',
  },
  [exits.notPlaced]: {
    code: 'failed_precondition',
    reason: 'not-placed',
    message: (path) => `the copy could not be put in place at ${path}`,
    remedy: 'check what is there already',
  },
  [exits.changed]: {
    code: 'conflict',
    reason: 'changed',
    message: (path) => `${path} is not what it was when you looked at it`,
    remedy: 'read it again, and decide anew',
  },
  [exits.elsewhere]: {
    code: 'conflict',
    reason: 'moved',
    message: (path) => `${path} led elsewhere after it was judged, or the place cannot show where it leads`,
    remedy: 'try again; the host or image needs /proc and readlink',
  },
  [exits.exists]: {
    code: 'already_exists',
    reason: 'exists',
    message: (path) => `something is in the place to which ${path} is to go`,
    remedy: 'choose another place, or say that it may be replaced',
  },
  [exits.notEmpty]: {
    code: 'failed_precondition',
    reason: 'not-empty',
    message: (path) => `the directory ${path} is not empty`,
    remedy: 'say that it may go with all that is in it',
  },
  [exits.pattern]: {
    code: 'invalid_argument',
    reason: 'pattern',
    message: () => 'the pattern cannot be read by grep',
    remedy: 'look for fixed text, or write an extended regular expression (POSIX)',
  },
  [exits.withheld]: {
    code: 'policy_denied',
    reason: 'withheld',
    message: (path) => `${path} leads to credential files, which are not copied out`,
    remedy: 'they are in the state directory of Caisson',
  },
  [exits.sizeless]: {
    code: 'invalid_argument',
    reason: 'special',
    message: (path) => `${path} is the kernel's own, and has no size to copy it by`,
    remedy: 'have a command read it: caisson exec TASK -- cat PATH',
  },
  [exits.special]: {
    code: 'invalid_argument',
    reason: 'special',
    message: (path) => `${path} is neither a regular file nor a directory`,
    remedy: 'only those can be copied',
  },
};
