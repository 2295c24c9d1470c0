/** A command as the program, the arguments and the environment of its watcher (`script.ts`). */
import type { ExecOptions } from '../../backend.ts';
import { type Carried, carried } from '../../inside/carried.ts';
import { execVariable } from '../../values/exec-variable.ts';
import { halvesOf } from '../lane/halves.ts';
import { isShellsOwn } from '../lane/request.ts';
import { directScript } from './script.ts';

const watchPrefix = 'watch-';

/**
 * All that is the caller's travels in the environment: arguments are for every process of the place to read. `null` for a program
 * with "=" in its name and variables that only env(1) can set, which would take it for one of them.
 */
export function watcherOf(
  command: readonly [string, ...string[]],
  { cwd, env }: Pick<ExecOptions, 'cwd' | 'env'>,
  { nonce, waits }: { readonly nonce: string; readonly waits: boolean },
): Carried | null {
  const { [execVariable]: id = '', ...rest } = env;
  const names = Object.keys(rest);
  const pair = (name: string): string => `${name}=${rest[name]}`;
  const past = names.filter(isShellsOwn).map(pair);
  if (past.length > 0 && command[0].includes('=')) return null;
  const plain = names.filter((name) => !isShellsOwn(name)).map(pair);
  const words = past.length > 0 ? ['-e', command[0], ...past, ...command] : ['--', ...command];
  const watcher = carried('watch', directScript(), [halvesOf(nonce), waits ? 'y' : '', cwd, ...plain, ...words]);
  return { ...watcher, env: { ...watcher.env, [execVariable]: `${watchPrefix}${id}` } };
}
