/** Credential files of a sandbox into which nothing can be bound: written and removed by commands in it. */
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { runScript } from '../../inside/run.ts';
import { scriptOf } from '../../inside/script.ts';

export interface CopyPlace {
  readonly sandbox: Sandbox;
  /** The sandbox's part of a home that it shares (`keptKey`); empty where it has a file system of its own. */
  readonly key: string;
  /** Directory of the files in a sandbox with a file system of its own. */
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
}

/** Exit codes, as `base.sh` has them. */
const statuses = { inTheWay: 71, noMemory: 72, failed: 74 } as const;

/** The directory as the sandbox reports it: hostile, but only used to refuse, or sent back to the sandbox. */
export async function copyFile(place: CopyPlace, path: string, bytes: Uint8Array): Promise<string> {
  const { sandbox, key, directory, signal } = place;
  const args = [key, directory, path, String(bytes.length)];
  const ended = await runScript(sandbox, {
    name: 'credentials',
    script: scriptOf('credentials/base', 'credentials/place'),
    args,
    input: bytes,
    signal,
  });
  if (ended.exitCode === 0) return ended.text.startsWith('/') && ended.text.length <= 4096 ? ended.text : directory;
  if (ended.exitCode === statuses.inTheWay)
    throw new CaissonError('conflict', `a link or a directory is in the way of the credential file ${path} inside`, {
      details: { path },
      remedy: 'remove it in the sandbox, or set another terminal.credential_directory',
    });
  if (ended.exitCode === statuses.noMemory)
    throw new CaissonError('not_supported', 'the sandbox has no tmpfs in which credential files could lie', {
      details: { path },
      remedy: 'use a place or an image with a tmpfs at /dev/shm, /run or /tmp: on a disk they would get into snapshots',
    });
  throw new CaissonError('resource_exhausted', `the credential file ${path} could not be written in the sandbox`, {
    details: { path, exitCode: ended.exitCode },
    remedy: 'look whether its disk is full, and whether its user may write there',
  });
}

/** Without paths, everything that was placed in a shared home. */
export async function removeCopies(place: CopyPlace, paths: readonly string[]): Promise<void> {
  const { sandbox, key, directory, signal } = place;
  const args = [key, directory, ...paths];
  const ended = await runScript(sandbox, {
    name: 'credentials',
    script: scriptOf('credentials/base', 'credentials/remove'),
    args,
    signal,
  });
  if (ended.exitCode === 0 || ended.exitCode === statuses.noMemory) return;
  throw new CaissonError('unavailable', 'credential files could not be removed from the sandbox', {
    details: { exitCode: ended.exitCode },
    remedy: 'remove them there by hand, or try again',
  });
}
