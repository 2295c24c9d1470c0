/**
 * The task's own directory on this host:
 *
 *   <home>/sandboxes/<backend>/<sandbox id>/     0700, bound into the sandbox
 *   <home>/sandboxes/<backend>/tasks/<task id>   link to ../<sandbox id>
 *
 * Keyed by sandbox id, because a task id is the caller's word; the link lets the next sandbox of the task take the same
 * files. What the sandbox put in there is hostile: it is only ever removed, never followed or read.
 */
import { lstat, mkdir, readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CaissonError } from '../errors.ts';
import { entries } from '../lib/entries.ts';
import { isMember } from '../values/member.ts';
import { isTaskKey } from '../values/task.ts';

export interface StateLocation {
  readonly home: string;
  readonly backend: string;
}

const idPattern = /^sbx_[a-z0-9]{16}$/;

export function directoryOf(place: StateLocation, sandboxId: string): string {
  return join(place.home, 'sandboxes', place.backend, sandboxId);
}

function linkOf(place: StateLocation, taskId: string): string {
  return join(place.home, 'sandboxes', place.backend, 'tasks', taskId);
}

/** The id under which the task's files are kept from an earlier sandbox. */
export async function keptSandboxId(place: StateLocation, taskId: string): Promise<string | null> {
  try {
    const id = basename(await readlink(linkOf(place, taskId)));
    return idPattern.test(id) ? id : null;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Wherever files of the task are kept from earlier sandboxes. */
export async function keptFiles(
  home: string,
  taskId: string,
): Promise<readonly { readonly place: StateLocation; readonly sandboxId: string }[]> {
  if (!isTaskKey(taskId)) return []; // it becomes part of a path
  const places = (await entries(join(home, 'sandboxes'))).map((backend) => ({ home, backend }));
  const found = await Promise.all(
    places.map(async (place) => ({ place, sandboxId: await keptSandboxId(place, taskId) })),
  );
  return found.flatMap(({ place, sandboxId }) => (sandboxId === null ? [] : [{ place, sandboxId }]));
}

export async function isDirectoryThere(directory: string): Promise<boolean> {
  try {
    return (await lstat(directory)).isDirectory();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

/** A member of the pool has no task whose link could point to it. */
export async function makeDirectory(place: StateLocation, taskId: string, sandboxId: string): Promise<string> {
  const directory = directoryOf(place, sandboxId);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!isMember(taskId)) await linkDirectory(place, taskId, sandboxId);
  return directory;
}

async function linkDirectory(place: StateLocation, taskId: string, sandboxId: string): Promise<void> {
  const link = linkOf(place, taskId);
  await mkdir(join(link, '..'), { recursive: true, mode: 0o700 });
  const fresh = `${link}.${sandboxId}`;
  await rm(fresh, { force: true });
  await symlink(join('..', sandboxId), fresh);
  await rename(fresh, link);
}

/**
 * Removes the directory and its link. Files that this user may not remove (made by another user in the sandbox) are an
 * error that names the directory: nothing is left silently.
 */
export async function removeDirectory(place: StateLocation, taskId: string, sandboxId: string): Promise<void> {
  const directory = directoryOf(place, sandboxId);
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw new CaissonError('permission_denied', `cannot remove all files below ${directory}`, {
      remedy:
        'remove it as the user who owns the files; where the backend has the key run_as_host_user, that makes new files yours',
      details: { directory },
      cause: error,
    });
  }
  if ((await keptSandboxId(place, taskId)) === sandboxId) await unlinkQuietly(linkOf(place, taskId));
}

/** Removes the directory of a sandbox that never came to hold a file; any other stays as it is. */
export async function removeEmptyDirectory(place: StateLocation, taskId: string, sandboxId: string): Promise<void> {
  const directory = directoryOf(place, sandboxId);
  try {
    for (const name of await entries(directory)) await rmdir(join(directory, name));
    await rmdir(directory);
  } catch (error) {
    if (isErrno(error, 'ENOTEMPTY') || isErrno(error, 'ENOTDIR')) return;
    if (!isErrno(error, 'ENOENT')) throw error;
  }
  if ((await keptSandboxId(place, taskId)) === sandboxId) await unlinkQuietly(linkOf(place, taskId));
}

/** Directories that no task points to any more. */
export async function unlinkedDirectories(place: StateLocation): Promise<readonly string[]> {
  const root = join(place.home, 'sandboxes', place.backend);
  const linked = new Set<string | null>();
  for (const task of await entries(join(root, 'tasks'))) linked.add(await keptSandboxId(place, task));
  return (await entries(root)).filter((name) => idPattern.test(name) && !linked.has(name));
}

/** Sandboxes that have, or had, credential files. */
export async function withCredentials(home: string): Promise<readonly string[]> {
  return (await entries(join(home, 'credentials'))).filter((name) => idPattern.test(name));
}

async function unlinkQuietly(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
