/** Writing a small file of the operator's. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CaissonError } from '../errors.ts';

/**
 * The new file takes the place of the old one in one step, and for this user alone: a crash, or a power cut, leaves one of
 * the two. Throws `failed_precondition`; the old one is there then.
 */
export async function replaceOwnFile(path: string, content: string | Buffer, mode = 0o600): Promise<void> {
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    await writeThrough(fresh, content, mode);
    await rename(fresh, path);
    await settle(dirname(path));
  } catch (error) {
    await rm(fresh, { force: true });
    throw new CaissonError('failed_precondition', `${path} cannot be written`, { cause: error });
  }
}

async function writeThrough(path: string, content: string | Buffer, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The new name is on the disk only when its directory is. */
async function settle(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
