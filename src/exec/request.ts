/** Whether a request can be run at all. Pure: what the place thinks of it is another matter. */
import { posix } from 'node:path';
import { CaissonError, type Details } from '../errors.ts';
import { checkExecId } from '../values/exec-id.ts';
import { checkUser } from '../values/user.ts';
import type { ExecRequest } from './types.ts';

/** MAX_ARG_STRLEN of Linux (execve(2)) without its NUL: one argument, or one `NAME=value`. */
const stringBytes = 131_071;
/** A quarter of the usual stack limit is what execve(2) allows for arguments and environment together. */
const totalBytes = 2_097_152;
/** Beyond it a JavaScript timer fires at once. */
const longestMs = 2_147_483_647;

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The type of requests that `checkRequest` has returned. A copy with changes does not have it, and is checked again. */
declare class Check {
  private readonly isChecked: true;
}
export type CheckedRequest = ExecRequest & Check;

/** Throws `invalid_argument`. Values of the environment are never part of the message. */
export function checkRequest(request: ExecRequest): CheckedRequest {
  check(request);
  return request;
}

function check(request: ExecRequest): asserts request is CheckedRequest {
  checkExecId(request.execId);
  checkCwd(request.cwd);
  if (request.user !== undefined) checkUser(request.user);
  checkCommand(request);
  checkLimits(request);
}

/** Judges the text alone: where a link inside the sandbox leads is the sandbox's own affair. */
function checkCwd(cwd: string): void {
  if (!cwd.startsWith('/') || cwd.includes('\0') || Buffer.byteLength(cwd) > 4095) {
    refuse('the working directory must be an absolute path of at most 4095 bytes, without NUL');
  }
  const path = posix.normalize(cwd);
  const root = ['/proc', '/sys', '/dev'].find((one) => path === one || path.startsWith(`${one}/`));
  // A directory of /proc/self/fd has led out of containers before.
  if (root !== undefined) refuse(`the working directory must not be below ${root}`);
}

function checkCommand(request: ExecRequest): void {
  // Callers may be untyped, so the tuple type does not settle it.
  const [program]: readonly (string | undefined)[] = request.command;
  if (program === undefined || program === '') refuse('the command is empty');
  let bytes = 0;
  for (const argument of request.command) bytes += checkString(argument, 'an argument');
  for (const [name, value] of Object.entries(request.env)) {
    if (!namePattern.test(name))
      refuse(`${JSON.stringify(name.slice(0, 64))} is not a name of an environment variable`);
    bytes += checkString(`${name}=${value}`, `the variable ${name.slice(0, 64)}`);
  }
  if (bytes > totalBytes)
    refuse(
      `arguments and environment together take ${bytes} bytes, at most ${totalBytes} are possible`,
      tooLarge(totalBytes),
    );
}

/** Bytes it takes: the string, its NUL, and a pointer. */
function checkString(text: string, what: string): number {
  if (text.includes('\0')) refuse(`${what} contains a NUL byte`);
  const bytes = Buffer.byteLength(text);
  if (bytes > stringBytes)
    refuse(`${what} has ${bytes} bytes, at most ${stringBytes} are possible`, tooLarge(stringBytes));
  return bytes + 9;
}

function checkLimits({ timeoutMs, outputLimitBytes, tty }: ExecRequest): void {
  if (timeoutMs !== null && !(timeoutMs > 0 && timeoutMs <= longestMs)) {
    refuse(`the timeout must be between 1 and ${longestMs} milliseconds`);
  }
  if (outputLimitBytes !== null && !(Number.isSafeInteger(outputLimitBytes) && outputLimitBytes > 0)) {
    refuse('the output limit must be a positive number of bytes');
  }
  if (tty !== null && ![tty.columns, tty.rows].every((size) => Number.isInteger(size) && size > 0 && size <= 65_535)) {
    refuse('columns and rows of a terminal must be between 1 and 65535');
  }
}

/** For programs that can pass less, or pass it by stdin or a file. */
const tooLarge = (max: number): Details => ({ reason: 'too-large', most: max });

function refuse(message: string, details: Details = {}): never {
  throw new CaissonError('invalid_argument', message, { details, remedy: 'correct the request; nothing was started' });
}
