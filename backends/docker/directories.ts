/** The directories of this host that a container shows. */
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Mount } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { taskMounts } from './host-config.ts';

export async function makeDirectories(directory: string, credentials: Mount | null): Promise<void> {
  for (const { source, target } of taskMounts(directory)) {
    await mkdir(source, { recursive: true, mode: 0o700 });
    await chmod(source, 0o700);
    if (credentials !== null && credentials.target.startsWith(`${target}/`))
      await makeWay(source, relative(target, credentials.target));
  }
}

/** An earlier sandbox of the task could write all of it: the engine would follow a link that it left on the way. */
async function makeWay(from: string, path: string): Promise<void> {
  let at = from;
  for (const name of path.split('/')) {
    at = join(at, name);
    await mkdir(at, { mode: 0o700 }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    if (!(await lstat(at)).isDirectory()) throw inTheWay(path);
  }
}

function inTheWay(path: string): CaissonError {
  return new CaissonError('conflict', `a link or a file is in the way of credential files, at ${path}`, {
    details: { path },
    remedy: 'remove it from the files of the task, or set another terminal.credential_directory',
  });
}
