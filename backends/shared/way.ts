/** The way to a place where something is shown, in a directory that sandboxes could write. */
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CaissonError } from '../../src/errors.ts';
import { systemCode } from './system-fault.ts';

/** An earlier sandbox of the task could write all of it: a mount there would follow a link that it left. */
export async function makeWay(from: string, path: string): Promise<void> {
  let at = from;
  for (const name of path.split('/')) {
    at = join(at, name);
    await mkdir(at, { mode: 0o700 }).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
    if (!(await lstat(at)).isDirectory()) throw pathBlockedError(path);
  }
}

function pathBlockedError(path: string): CaissonError {
  return new CaissonError('conflict', `a link or a file is in the way of credential files, at ${path}`, {
    details: { path },
    remedy: 'remove it from the files of the task, or set another terminal.credential_directory',
  });
}
