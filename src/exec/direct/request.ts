/** A command as the arguments and the environment of its watcher (`script.ts`). */
import type { ExecOptions } from '../../backend.ts';
import { isShellsOwn, longestWord } from '../lane/request.ts';
import { execVariable } from '../../values/exec-variable.ts';
import { directScript } from './script.ts';

type Env = ExecOptions['env'];

const prefix = '_cz_v_';
const watchPrefix = 'watch-';

export interface WatcherStart {
  readonly command: readonly [string, ...string[]];
  readonly env: Env;
}

/**
 * Values travel in the environment alone: arguments are for every process of the place to read. `null` for a program with
 * "=" in its name and variables that only env(1) can set, which would take it for one of them.
 */
export function watcherOf(
  command: readonly [string, ...string[]],
  { cwd, env }: Pick<ExecOptions, 'cwd' | 'env'>,
  nonce: string,
): WatcherStart | null {
  const { [execVariable]: id = '', ...rest } = env;
  const pairs = Object.entries(rest);
  const past = pairs.filter(([name]) => isShellsOwn(name)).map(([name, value]) => `${name}=${value}`);
  if (past.length > 0 && command[0].includes('=')) return null;
  const plain = pairs.filter(([name]) => !isShellsOwn(name)).map(([name, value]) => prefixed(name, value));
  const names = plain.flatMap(([name]) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  const words = past.length > 0 ? ['-e', command[0], ...past, ...command] : ['--', ...command];
  return {
    command: ['sh', '-c', directScript(), 'caisson-watch', nonce, cwd, ...names, ...words],
    env: { ...Object.fromEntries(plain), [execVariable]: `${watchPrefix}${id}` },
  };
}

/** A variable that would not fit under its longer name is set as it is: nothing that a shell goes by is that long. */
function prefixed(name: string, value: string): readonly [string, string] {
  const fits = Buffer.byteLength(`${prefix}${name}=${value}`) <= longestWord;
  return fits ? [`${prefix}${name}`, value] : [name, value];
}
