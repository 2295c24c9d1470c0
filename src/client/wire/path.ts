/** Names of the caller as a segment of a path. */
import { CaissonError } from '../../errors.ts';

/** Throws `invalid_argument` for what would be another path: nothing of a name is a slash, or only dots. */
export function segment(name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.length <= 512 && !/^\.+$/.test(name))
    return encodeURIComponent(name);
  throw new CaissonError('invalid_argument', `${JSON.stringify(String(name).slice(0, 64))} is no name`);
}
