/** `caisson.files`. */
import type { CopyResult, FileTools } from '../../files/types.ts';
import type { CopyInput, Options } from '../types.ts';
import { read, type Rows, run } from './row.ts';

export interface FilesApi extends FileTools {
  /** From this host. */
  copyIn(input: CopyInput, options?: Options): Promise<CopyResult>;
  /** To this host. */
  copyOut(input: CopyInput, options?: Options): Promise<CopyResult>;
}

const inTask = { takes: ['...'], owner: 'place' } as const;
const onHost = { takes: ['...'], owner: 'refused', none: 'it names files of the host' } as const;
const limits = { bytes: true, entries: true } as const;
const copy = { task: true, source: true, target: true, confirmed: true, limits } as const;
const at = { task: true, path: 'inside' } as const;
const changing = { ...at, confirmed: true } as const;

export const files = {
  copyIn: { ...onHost, keys: { ...copy, target: 'inside' } },
  copyOut: { ...onHost, keys: { ...copy, source: 'inside' } },
  sync: {
    ...onHost,
    keys: { task: true, host: true, inside: 'inside', direction: true, overwrite: true, confirmed: true },
  },
  read: {
    ...read(
      'GET',
      '/v1/sandboxes/{id}/files',
      'Reads a file, or a part of it. The digest of the whole file is in Repr-Digest, as a header or as a trailer.',
    ),
    ...inTask,
    keys: { ...at, offset: true, length: true },
  },
  stream: { ...read('GET', '/v1/sandboxes/{id}/files', 'As files.read does, without a bound.'), ...inTask, keys: at },
  write: {
    ...run(
      'PUT',
      '/v1/sandboxes/{id}/files',
      'Writes a file, all or nothing. If-Match: "SHA256" and If-None-Match: * say what must be there; Repr-Digest is compared.',
    ),
    ...inTask,
    keys: { ...changing, bytes: true, expected: true },
  },
  patch: {
    ...run('PATCH', '/v1/sandboxes/{id}/files', 'Changes a text by exact replacements, or by a unified diff.'),
    ...inTask,
    keys: { ...changing, edits: true, diff: true },
    gives: { size: 'number', sha256: 'text' },
  },
  list: {
    ...read('GET', '/v1/sandboxes/{id}/files/list', 'Lists a directory in the order of names, at most 5,000 entries.'),
    ...inTask,
    keys: at,
    gives: { entries: 'list', truncated: 'flag' },
  },
  stat: {
    ...read('GET', '/v1/sandboxes/{id}/files/stat', 'Shows kind, size, mode and age of a file; of a link, its own.'),
    ...inTask,
    keys: at,
    gives: { name: 'text', kind: 'text', size: 'number', mode: 'number' },
  },
  move: {
    ...run('POST', '/v1/sandboxes/{id}/files/move', 'Moves a file or a directory.'),
    ...inTask,
    keys: { ...changing, to: 'inside', replace: true },
    gives: null,
  },
  remove: {
    ...run('DELETE', '/v1/sandboxes/{id}/files', 'Removes a file, or with recursive a directory.'),
    ...inTask,
    keys: { ...changing, recursive: true },
    gives: null,
  },
  search: {
    ...read('POST', '/v1/sandboxes/{id}/files/search', 'Finds lines of files below a directory.'),
    ...inTask,
    keys: { ...at, pattern: true, regex: true, name: true, most: true },
    repeatable: true,
    gives: { matches: 'list', truncated: 'flag', withheld: 'number' },
  },
  archive: {
    ...read(
      'GET',
      '/v1/sandboxes/{id}/files/archive',
      'Streams a file or a directory as a tar. Its digest is in the trailer Repr-Digest.',
    ),
    ...inTask,
    keys: { ...at, limits },
  },
  unpack: {
    ...run(
      'PUT',
      '/v1/sandboxes/{id}/files/archive',
      'Unpacks a tar into a directory, when all of it has come and may be unpacked. Repr-Digest is compared. `confirmed` is for the command line of the host.',
    ),
    ...inTask,
    keys: { ...changing, name: true, archive: true, limits },
  },
  watch: {
    ...read(
      'GET',
      '/v1/sandboxes/{id}/files/watch',
      'Streams what changes in a directory, by a look at an interval, from the first byte of the answer on.',
    ),
    ...inTask,
    keys: { ...at, recursive: true, intervalMs: true },
  },
} as const satisfies Rows<FilesApi>;
