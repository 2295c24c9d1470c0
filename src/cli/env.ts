/** Variables for a command, from options and files. Values are never repeated in a message. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CaissonError } from '../errors.ts';
import { UsageError } from './usage.ts';
import type { World } from './world.ts';

type Variables = Record<string, string>;

const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `files` first, in order, then `entries`: the later wins. `NAME` alone takes its value from our own environment. */
export function readEnv(
  entries: readonly string[],
  files: readonly string[],
  world: Pick<World, 'env' | 'cwd'>,
): Variables {
  const variables: Variables = {};
  for (const file of files) {
    const lines = readEnvFile(resolve(world.cwd, file), file).split(/\r?\n/);
    lines.forEach((line, index) => {
      if (line.trim() !== '' && !line.startsWith('#'))
        add(variables, line, { where: `${file} line ${index + 1}`, env: world.env });
    });
  }
  entries.forEach((entry, index) => add(variables, entry, { where: `${ordinal(index)} --env`, env: world.env }));
  return variables;
}

function readEnvFile(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CaissonError('invalid_argument', `the environment file ${shown} cannot be read`, {
      cause: error,
      remedy: 'check --env-file',
    });
  }
}

function ordinal(index: number): string {
  return ['first', 'second', 'third'][index] ?? `${index + 1}th`;
}

function add(
  variables: Variables,
  entry: string,
  { where, env }: { readonly where: string; readonly env: World['env'] },
): void {
  const equals = entry.indexOf('=');
  const name = equals < 0 ? entry : entry.slice(0, equals);
  // What stands before `=` may be a part of a secret that was pasted wrongly, so a bad name is not shown either.
  if (!nameForm.test(name)) {
    throw new UsageError(`${where}: expected NAME or NAME=VALUE`, {
      remedy: 'names are letters, digits and _, and do not start with a digit',
    });
  }
  const value = equals < 0 ? env[name] : entry.slice(equals + 1);
  if (value === undefined) {
    throw new CaissonError('invalid_argument', `${where}: ${name} is not set here`, {
      remedy: `export ${name} first, or write it in an --env-file`,
    });
  }
  // __proto__ is a legal name for a variable and must not become the prototype.
  Object.defineProperty(variables, name, { value, enumerable: true, configurable: true, writable: true });
}
