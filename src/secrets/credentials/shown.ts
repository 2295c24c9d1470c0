/** Credential files of a sandbox that are shown to it: put in a directory of this host, by rename. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { credentialsOf, shownDirectory } from './record.ts';

export async function makeShown(home: string, sandboxId: string): Promise<string> {
  const directory = shownDirectory(home, sandboxId);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** A concurrent reader sees all of the old or all of the new. */
export async function showFile(
  place: { readonly home: string; readonly sandboxId: string },
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const fresh = join(credentialsOf(place.home, place.sandboxId), `.new-${process.pid}`);
  const target = join(shownDirectory(place.home, place.sandboxId), path);
  await rm(fresh, { force: true });
  await writeFile(fresh, bytes, { mode: 0o400, flag: 'wx' });
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await rename(fresh, target);
}

export async function hideFile(
  place: { readonly home: string; readonly sandboxId: string },
  path: string,
): Promise<void> {
  await rm(join(shownDirectory(place.home, place.sandboxId), path), { recursive: true, force: true });
}
