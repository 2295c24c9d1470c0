/** Finished root file systems, by recipe hash. Another process may build the same one at the same time. */
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Recipe } from './recipes.ts';

/** After this, a build fetches the packages again, for their security updates. */
const freshMs = 7 * 24 * 60 * 60 * 1000;

export function cacheDirectory(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(env['HOME'] ?? homedir(), '.cache') : base, 'caisson', 'images');
}

/** The file of this recipe when it is there and not too old. */
export async function cached(directory: string, recipe: Recipe): Promise<string | null> {
  const path = pathOf(directory, recipe);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return found !== null && Date.now() - found.mtimeMs < freshMs ? path : null;
}

/** A directory of this build alone. It must be reachable for the namespace's own users, and tells them nothing. */
export async function workDirectory(directory: string): Promise<string> {
  const path = join(directory, `build-${process.pid}-${crypto.randomUUID()}`);
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
  return path;
}

/** Puts a finished file in place at once and removes what older recipes of the name left. */
export async function keep(directory: string, recipe: Recipe, finished: string): Promise<string> {
  const path = pathOf(directory, recipe);
  await rename(finished, path);
  const older = new RegExp(`^${recipe.name}-[0-9a-f]{16}\\.tar$`);
  const names = (await readdir(directory)).filter((name) => older.test(name) && join(directory, name) !== path);
  await Promise.all(names.map((name) => rm(join(directory, name), { force: true })));
  return path;
}

function pathOf(directory: string, recipe: Recipe): string {
  return join(directory, `${recipe.name}-${recipe.hash}.tar`);
}
