/** What is to be copied into a sandbox: opened once, so that it stays what it was when it was looked at. */
import { closeSync } from 'node:fs';
import { resolve } from 'node:path';
import { CaissonError } from '../errors.ts';
import { fromText, printable, toText } from './byte-name.ts';
import { closeDirectory, type Directory } from './directory.ts';
import { fsError } from './fs-error.ts';
import { sourceName } from './inside-path.ts';
import { findPath } from './open-path.ts';
import { type ArchiveForm, type OnFile, type OpenFile, openFile, packFile, packTree } from './pack.ts';
import type { CopyResult, Only, Vet } from './types.ts';
import { walk, type WalkOptions } from './walk.ts';
import { given } from '../lib/given.ts';

export interface Source extends Disposable {
  readonly kind: 'file' | 'tree';
  /** Its name inside an existing directory. Empty: what is in it goes there. */
  readonly name: string;
  /** Bytes of a file, which must arrive in this size. Zero for a tree. */
  readonly fileBytes: number;
  /** Looks at all of it. Throws what `vet` throws. */
  list(options: Listing): Promise<Listed>;
}

interface Listing extends WalkOptions {
  readonly vet?: Vet;
  readonly only?: Only;
  readonly onFile?: OnFile;
  readonly form?: ArchiveForm;
}

export interface Listed {
  readonly result: Omit<CopyResult, 'bytes'>;
  /** Bytes of all content; `null`: not counted. */
  readonly bytes: number | null;
  /** The archive. To be read once. */
  chunks(onBytes: (bytes: number) => void): AsyncGenerator<Buffer, void, undefined>;
}

export function openSource(path: string, untrusted: readonly string[]): Source {
  const clean = resolve(path);
  const found = findPath(clean, untrusted);
  const name = sourceName(path, clean) ?? '';
  if (found.kind === 'directory') return treeSource(found.directory, name);
  try {
    if (found.kind === 'missing') throw pathMissingError(path);
    if (/\/\.?$/.test(path))
      throw new CaissonError('failed_precondition', `${path} is not a directory`, { remedy: 'leave out the slash' });
    return fileSource(openFile(found.directory, found.name), name);
  } catch (error) {
    throw fsError(`read ${printable(fromText(path))}`, error);
  } finally {
    closeDirectory(found.directory);
  }
}

function fileSource(file: OpenFile, name: string): Source {
  const { size } = file.stats;
  return {
    kind: 'file',
    name,
    fileBytes: size,
    async list({ form }) {
      return {
        result: { files: 1, directories: 0, skipped: [] },
        bytes: size,
        chunks: (onBytes) => packFile(file, { onBytes, ...given({ form }) }),
      };
    },
    [Symbol.dispose]() {
      closeSync(file.fd);
    },
  };
}

function treeSource(root: Directory, name: string): Source {
  return {
    kind: 'tree',
    name,
    fileBytes: 0,
    async list({ vet, only = () => true, onFile, form, ...options }) {
      const { entries: all, skipped } = await walk(root, options);
      const entries = all.filter(({ segments, kind }) => only(segments.join('/'), kind));
      const bytes = options.sizes === true ? entries.reduce((sum, { size }) => sum + size, 0) : null;
      if (vet !== undefined) for (const { segments } of entries) vet(segments.map(toText));
      const count = (kind: string): number => entries.reduce((sum, entry) => sum + (entry.kind === kind ? 1 : 0), 0);
      const result = { files: count('file'), directories: count('directory') + 1, skipped };
      return {
        result,
        bytes,
        chunks: (onBytes) => packTree({ root, entries, onBytes, onFile, ...given({ form }) }),
      };
    },
    [Symbol.dispose]() {
      closeDirectory(root);
    },
  };
}

function pathMissingError(path: string): CaissonError {
  return new CaissonError('not_found', `there is no ${path} on the host`, { remedy: 'check the path' });
}
