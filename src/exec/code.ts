/**
 * A program run from a fresh directory of its own, which is its working directory and is removed afterwards.
 *
 * The text comes by stdin, so that it is in no process table; the program itself reads end of file. When the tree is
 * killed, the script may not live to remove the directory: `code-cleanup.sh` does it then.
 */
import { CaissonError } from '../errors.ts';
import { carried } from '../inside/carried.ts';
import { scriptOf } from '../inside/script.ts';
import { execIn } from '../values/owner.ts';
import type { ExecRequest } from './types.ts';

export const languages = ['python', 'node', 'bash'] as const;
export type Language = (typeof languages)[number];

const programs: Readonly<Record<Language, { readonly file: string; readonly commands: string }>> = {
  python: { file: 'main.py', commands: 'python3 python' },
  node: { file: 'main.mjs', commands: 'node nodejs' },
  bash: { file: 'main.sh', commands: 'bash' },
};

const shownName = 'caisson-code';

export function codeDirectory(execId: string): string {
  return `caisson-code-${execIn(execId)}`;
}

/** `hidden`: names of variables of the place. */
export function codeCommand(
  language: string,
  execId: string,
  hidden: readonly string[] = [],
): readonly [string, ...string[]] {
  const known = languages.find((name) => name === language);
  if (known === undefined) {
    throw new CaissonError('invalid_argument', `${JSON.stringify(language.slice(0, 20))} is no language of code runs`, {
      remedy: `choose one of ${languages.join(', ')}`,
    });
  }
  const { file, commands } = programs[known];
  return ['sh', '-c', scriptOf('code'), shownName, codeDirectory(execId), file, commands, hidden.join(' ')];
}

/** A command as it is started: what runs a program for Caisson is not found by the name of that program. */
export function startedAs({
  command,
  env,
}: Pick<ExecRequest, 'command' | 'env'>): Pick<ExecRequest, 'command' | 'env'> {
  const [, , text, name, ...args] = command;
  if (name !== shownName || text !== scriptOf('code')) return { command, env };
  const own = carried('code', text, args);
  return { command: own.command, env: { ...env, ...own.env } };
}
