/** Files below a directory whose path fits a glob. Links are not followed. */
import { isMissing, type Place } from '../place.ts';
import type { FileInfo, Files } from './types.ts';

const maxDirectories = 2000;
const atOnce = 8;

/** Paths are those below the directory. `truncated`: there are more directories than were looked into. */
export async function glob(place: Place, pattern: string, path: string): Promise<Files> {
  const fits = expressionOf(pattern);
  const deep = pattern.includes('**') ? Number.POSITIVE_INFINITY : pattern.split('/').length;
  const files: FileInfo[] = [];
  let [level, seen, truncated] = [[''], 0, false];
  for (let depth = 1; level.length > 0 && depth <= deep && seen < maxDirectories; depth += 1) {
    const [directories, left] = [level.slice(0, maxDirectories - seen), level.length - (maxDirectories - seen)];
    seen += directories.length;
    truncated ||= left > 0;
    const lists = await inTurns(directories, async (directory) => await entriesOf(place, path, directory));
    truncated ||= lists.some((list) => list.truncated);
    const entries = lists.flatMap((list) => list.entries);
    files.push(...entries.filter((entry) => fits.test(entry.path)));
    level = entries.filter((entry) => entry.is_dir === true).map((entry) => entry.path);
    truncated ||= seen >= maxDirectories && level.length > 0 && depth < deep;
  }
  return { files, truncated };
}

interface Listed {
  readonly entries: readonly FileInfo[];
  readonly truncated: boolean;
}

async function entriesOf(place: Place, root: string, directory: string): Promise<Listed> {
  try {
    const { entries, truncated } = await place.api.files.list({ task: place.task, path: `${root}/${directory}` });
    const before = directory === '' ? '' : `${directory}/`;
    return {
      entries: entries.map(({ name, kind, size, modifiedAt }) => ({
        path: `${before}${name}`,
        is_dir: kind === 'directory',
        size,
        modified_at: modifiedAt,
      })),
      truncated,
    };
  } catch (error) {
    // Another program may remove a directory meanwhile.
    if (directory !== '' && isMissing(error)) return { entries: [], truncated: false };
    throw error;
  }
}

async function inTurns<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += atOnce)
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(each))));
  return results;
}

/** `*` and `?` stop at a slash, `**` does not. */
export function expressionOf(pattern: string): RegExp {
  const text = pattern.replaceAll(/\*\*\/|\*\*|\*|\?|\[[^\]]*\]|[\\^$.|+(){}[\]]/g, (found) => {
    if (found === '**/') return '(?:.*/)?';
    if (found === '**') return '.*';
    if (found === '*') return '[^/]*';
    if (found === '?') return '[^/]';
    return found.length > 2 ? found.replace(/^\[!/, '[^') : `\\${found}`;
  });
  return new RegExp(`^${text}$`, 's');
}
