/** Paths of the egress proxy and its doors, below the state directory. */
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entries } from '../lib/entries.ts';
import { isSandboxId } from '../values/task.ts';

/** Held by the proxy of a state directory. */
export const proxyLease = 'egress-proxy';

export const egressDirectory = (home: string): string => join(home, 'egress');
export const logOf = (home: string, sandboxId: string): string =>
  join(egressDirectory(home), 'log', `${sandboxId}.ndjson`);
/** What the process of the proxy prints, of its last run. */
export const outputOf = (home: string): string => join(egressDirectory(home), 'proxy.log');
export const doorOf = (home: string, sandboxId: string): string => join(egressDirectory(home), 'doors', sandboxId);

export async function makeEgressDirectory(home: string): Promise<void> {
  for (const path of [egressDirectory(home), join(egressDirectory(home), 'doors'), join(egressDirectory(home), 'log')])
    await mkdir(path, { mode: 0o700, recursive: true });
}

/** Another user carries the bytes in; that it gets no further, the directories above see to. */
export async function makeDoor(home: string, sandboxId: string): Promise<string> {
  await makeEgressDirectory(home);
  const directory = doorOf(home, sandboxId);
  await mkdir(directory, { mode: 0o711, recursive: true });
  await chmod(directory, 0o711);
  return directory;
}

/** Idempotent. */
export async function removeDoor(home: string, sandboxId: string): Promise<void> {
  await rm(doorOf(home, sandboxId), { recursive: true, force: true });
  await rm(logOf(home, sandboxId), { force: true });
  await rm(`${logOf(home, sandboxId)}.1`, { force: true });
}

/** Sandboxes that have something left for `removeDoor` to remove, and its path. */
export async function filesLeft(
  home: string,
): Promise<readonly { readonly sandboxId: string; readonly path: string }[]> {
  const found = new Map<string, string>();
  for (const folder of ['log', 'doors'])
    for (const name of await entries(join(egressDirectory(home), folder))) {
      const sandboxId = name.replace(/\.ndjson(?:\.1)?$/, '');
      if (isSandboxId(sandboxId)) found.set(sandboxId, join(egressDirectory(home), folder, name));
    }
  return [...found].map(([sandboxId, path]) => ({ sandboxId, path }));
}

/** A path of a socket has 107 bytes at most (unix(7)), and a state directory may lie anywhere: this one is always short. */
export async function withShortPath<T>(directory: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const fd = openSync(directory, 'r');
  try {
    return await use(`/proc/self/fd/${fd}/${name}`);
  } finally {
    closeSync(fd);
  }
}
