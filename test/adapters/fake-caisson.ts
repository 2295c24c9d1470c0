/** The part of the API that listing needs, over a table of directories: a name ends in `/` for a directory, in `@` for a link. */
import type { Caisson, Files } from '../../src/adapters/api.ts';
import { CaissonError } from '../../src/errors.ts';

export interface FakeCaisson extends Caisson {
  /** Paths of lists, in order. */
  readonly listed: readonly string[];
}

type Entry = Awaited<ReturnType<Files['list']>>['entries'][number];

export function caissonOf(directories: Readonly<Record<string, readonly string[]>>): FakeCaisson {
  const listed: string[] = [];
  const list: Files['list'] = async ({ path }) => {
    listed.push(path);
    const names = directories[path.replace(/\/$/, '')] ?? (path.startsWith('/w/d') ? [] : undefined);
    if (names === undefined) throw new CaissonError('not_found', 'no', { details: { reason: 'missing' } });
    return await Promise.resolve({ entries: names.map(entryOf), truncated: false });
  };
  const sandbox = { id: 'sbx_1', backend: 'local' };
  return Object.assign(Object.create(null), {
    listed,
    run: async () => await Promise.resolve({ stdout: { text: '/w\n' } }),
    sandboxes: { create: async () => await Promise.resolve({ sandbox }) },
    files: { list },
  });
}

function entryOf(name: string): Entry {
  const kind = name.endsWith('/') ? 'directory' : name.endsWith('@') ? 'symlink' : 'file';
  return { name: name.replace(/[/@]$/, ''), kind, size: 1, modifiedAt: '2026-01-01T00:00:00.000Z' };
}
