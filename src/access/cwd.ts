/** MESSAGING_CWD: where commands of conversations start. Pure: over the environment. */
import { isAbsolute, normalize, relative } from 'node:path';
import { CaissonError } from '../errors.ts';
import type { Environment } from './authorize.ts';

const maxUnits = 4096;

/**
 * `null`: the variable is not set. Throws `failed_precondition` for a path that is not absolute, and for directories from which
 * an agent reaches what is not for it: the root, the home of the user, the state directory, and what is in `.ssh` and its like.
 */
export function messagingCwd(env: Environment, stateDirectory: string): string | null {
  const given = env['MESSAGING_CWD'];
  if (given === undefined || given === '') return null;
  if (!isAbsolute(given) || given.length > maxUnits || /\p{Cc}/u.test(given)) throw cwdError('an absolute path');
  const path = normalize(given).replace(/(?<=.)\/$/, '');
  const isSensitive = path === '/' || path === env['HOME'] || holds(path, stateDirectory) || hidden(path);
  if (isSensitive) throw cwdError('a directory for projects: not /, a home, the state directory or a hidden one');
  return path;
}

/** Either of them is in the other one, or is the same. */
const holds = (one: string, other: string): boolean => [relative(one, other), relative(other, one)].some(isBelow);
const isBelow = (path: string): boolean => !isAbsolute(path) && path.split('/')[0] !== '..';
const hidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'));

function cwdError(wanted: string): CaissonError {
  return new CaissonError('failed_precondition', `MESSAGING_CWD is to be ${wanted}`, {
    remedy: 'set MESSAGING_CWD to a directory such as /srv/projects, or leave it out',
  });
}
