/**
 * What has no owner: resources in a place without a row, and directories that no task points to. Only resources with
 * the labels of this instance are ever considered; those of other installations and of people are not ours to see.
 */
import type { Backend, Listed } from '../backend.ts';
import { toCaissonError } from '../errors.ts';
import { rm } from 'node:fs/promises';
import { everySandbox } from '../store/every-sandbox.ts';
import type { WayOut } from '../egress/way-out.ts';
import type { Context } from './context.ts';
import { credentialsOf, removeCredentials } from '../secrets/credentials/record.ts';
import { directoryOf, unlinkedDirectories, withCredentials } from './directory.ts';
import { attachIfThere } from './finish.ts';

export interface Garbage {
  readonly kind: 'resource' | 'directory';
  readonly backend: string | null;
  readonly name: string;
  readonly taskId: string | null;
  readonly why: string;
  readonly remove: () => Promise<void>;
}

/**
 * The place is asked before the rows: a resource always has its row first, so one that is listed and has no row
 * afterwards has lost it for good.
 */
export async function findGarbage(context: Context, backend: Backend): Promise<readonly Garbage[]> {
  const listed = await backend.list({ instance: context.store.instance });
  const place = { home: context.home, backend: backend.name };
  const directories = await unlinkedDirectories(place);
  const known = await knownIds(context);
  const orphans = listed.filter((entry) => !known.has(entry.labels.sandbox));
  return [
    ...(await sharedLeftovers(context, backend)),
    ...orphans.map((entry) => orphan(backend, entry)),
    ...directories.filter((id) => !known.has(id)).map((id) => abandoned(backend.name, directoryOf(place, id))),
  ];
}

/** A crash between the last sandbox and its network leaves the network. One that a creation under way needs is in use by then. */
async function sharedLeftovers(context: Context, backend: Backend): Promise<readonly Garbage[]> {
  const { leftovers } = backend;
  const options = { instance: context.store.instance };
  if (leftovers === undefined) return [];
  const rows = await context.store.sandboxes.list({ backend: backend.name, limit: 1 });
  if (rows.length > 0) return [];
  return (await leftovers.list(options)).map(({ name, what }) => ({
    kind: 'resource',
    backend: backend.name,
    name,
    taskId: null,
    why: `${what} of this instance that no sandbox uses`,
    remove: () => leftovers.remove(options),
  }));
}

/** Credential files of sandboxes whose record was lost. Asked before the rows, which come first. */
export async function lostCredentials(context: Context): Promise<readonly Garbage[]> {
  const ids = await withCredentials(context.home);
  const known = await knownIds(context);
  return ids
    .filter((id) => !known.has(id))
    .map((id) => ({
      kind: 'directory',
      backend: null,
      name: credentialsOf(context.home, id),
      taskId: null,
      why: 'it holds credential files of a sandbox that no record knows',
      remove: () => removeCredentials(context.home, id),
    }));
}

/** Doors of sandboxes whose record was lost, with what was written of their connections. Asked before the rows, which come first. */
export async function lostDoors({
  wayOut,
  store,
}: Pick<Context, 'store'> & { readonly wayOut: Pick<WayOut, 'left' | 'remove'> }): Promise<readonly Garbage[]> {
  const left = await wayOut.left();
  const known = await knownIds({ store });
  return left
    .filter(({ sandboxId }) => !known.has(sandboxId))
    .map(({ sandboxId, path }) => ({
      kind: 'directory',
      backend: null,
      name: path,
      taskId: null,
      why: 'it is of the filtered network of a sandbox that no record knows',
      remove: () => wayOut.remove(sandboxId),
    }));
}

async function knownIds({ store }: Pick<Context, 'store'>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { id } of everySandbox(store.sandboxes)) ids.add(id);
  return ids;
}

function orphan(backend: Backend, entry: Listed): Garbage {
  return {
    kind: 'resource',
    backend: backend.name,
    name: entry.labels.sandbox,
    taskId: entry.labels.task,
    why: 'it has the labels of this instance, but no record of it exists',
    remove: async () => (await attachIfThere(backend, entry.ref))?.destroy(),
  };
}

function abandoned(backend: string, directory: string): Garbage {
  return {
    kind: 'directory',
    backend,
    name: directory,
    taskId: null,
    why: 'no task points to it',
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Removes and tells, one by one; a failure of one does not keep the others. */
export async function collectGarbage(
  garbage: readonly Garbage[],
): Promise<readonly (Garbage & { readonly error?: string })[]> {
  const done: (Garbage & { readonly error?: string })[] = [];
  for (const item of garbage) {
    try {
      await item.remove();
      done.push(item);
    } catch (error) {
      done.push({ ...item, error: toCaissonError(error).message });
    }
  }
  return done;
}
