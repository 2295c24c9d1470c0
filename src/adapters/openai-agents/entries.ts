/** Files and directories of a manifest, made in the sandbox. Everything else of one is refused before anything is made. */
import { CaissonError } from '../../errors.ts';
import type { Place } from '../place.ts';
import type { Entry, ManifestShape } from './types.ts';

interface Made {
  readonly path: string;
  /** `null`: a directory. */
  readonly content: string | Uint8Array | null;
}

/** Throws `not_supported` for what the sandbox would silently do without. */
export function assertFit(manifest: ManifestShape): void {
  if (manifest.users.length > 0 || manifest.groups.length > 0) throw unsupported('users and groups of a manifest');
  if (manifest.extraPathGrants.some(({ hostPath }) => hostPath !== undefined)) throw unsupported('paths of the host');
  for (const [path, entry] of Object.entries(manifest.entries)) flat(path, entry);
}

export async function materialize(
  place: Place,
  entries: Readonly<Record<string, Entry>>,
  at: (path: string) => string,
): Promise<void> {
  const all = Object.entries(entries).flatMap(([path, entry]) => flat(path, entry));
  const directories = all.filter(({ content }) => content === null).map(({ path }) => at(path));
  if (directories.length > 0) await makeDirectories(place, directories);
  for (const { path, content } of all)
    if (content !== null) await place.api.files.write({ task: place.task, path: at(path), bytes: content });
}

export async function makeDirectories(place: Place, paths: readonly string[]): Promise<void> {
  const { exit, stderr } = await place.api.run({ ...place.request, command: ['mkdir', '-p', '--', ...paths] });
  if (exit.exitCode !== 0)
    throw new CaissonError('failed_precondition', `a directory of the manifest was not made: ${stderr.text.trim()}`, {
      remedy: 'choose a root that the user of the sandbox may write',
    });
}

function flat(path: string, entry: Entry): readonly Made[] {
  if ('permissions' in entry && entry.permissions !== undefined) throw unsupported('permissions of an entry');
  if ('group' in entry && entry.group !== undefined) throw unsupported('the group of an entry');
  if (entry.type === 'file' && 'content' in entry && isContent(entry.content))
    return [{ path, content: entry.content }];
  if (entry.type !== 'dir') throw unsupported(`an entry of the type ${entry.type}`);
  const children = 'children' in entry && isEntries(entry.children) ? entry.children : {};
  return [
    { path, content: null },
    ...Object.entries(children).flatMap(([name, child]) => flat(`${path}/${name}`, child)),
  ];
}

const isContent = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array;

const isEntries = (value: unknown): value is Record<string, Entry> => typeof value === 'object' && value !== null;

export function unsupported(what: string): CaissonError {
  return new CaissonError('not_supported', `a sandbox of Caisson does not take ${what}`, {
    remedy: 'copy files in by caisson.files, and leave it out of the manifest',
  });
}
