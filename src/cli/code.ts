/** A program to run, from a file of this machine or from standard input. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { CaissonError } from '../errors.ts';
import type { Context } from './context.ts';
import type { CodeRequest, ExecRequest } from './execute.ts';
import { UsageError } from './usage.ts';
import { readChoice } from './values.ts';

export async function codeRequest(
  { command, cwd, ...request }: ExecRequest,
  language: string,
  context: Context,
): Promise<CodeRequest> {
  const [file = '-', ...more] = command;
  if (more.length > 0) throw new UsageError('a program is one FILE after --, or -');
  if (cwd !== undefined) throw new UsageError('--cwd does not go with --code, which has a directory of its own');
  return {
    ...request,
    code: {
      language: readChoice('--code', language, ['python', 'node', 'bash']),
      text: await readProgram(file, context),
    },
  };
}

async function readProgram(file: string, { world }: Context): Promise<Uint8Array> {
  if (file === '-') return await buffer(world.stdin);
  try {
    return await readFile(resolve(world.cwd, file));
  } catch (cause) {
    throw new CaissonError('invalid_argument', `the program ${file} cannot be read`, {
      cause,
      remedy: 'name a file of this machine, or -',
    });
  }
}
