/**
 * Credential files on this host, regular, of one name, small: found below the state directory by real path, or where the
 * configuration says for an owner of the service.
 */
import { constants, type BigIntStats, statSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { CaissonError } from '../../errors.ts';
import { isOwnFile } from '../../values/credential-path.ts';

const maxFileBytes = 1024 * 1024;

export interface CredentialContent {
  readonly bytes: Buffer;
  /** What `stampOf` gave for this content. */
  readonly stamp: string;
}

/** Source of credential files, by their paths. */
export interface CredentialSource {
  /** Changes whenever the content does. `null`: it is not there. Cheap, since it is asked before each command. */
  stampOf(path: string): string | null;
  /** Throws `invalid_argument` for what may not be shown to a sandbox. */
  read(path: string): Promise<CredentialContent | null>;
}

export function stateDirectory(home: string): CredentialSource {
  return {
    stampOf: (path) => fileStamp(join(home, path)),
    read: (path) => readCredential(home, path),
  };
}

/** `home`: the state directory. `files`: paths of this host. An error names what is seen inside, since owners read it. */
export function filesOfHost(home: string, files: () => Readonly<Record<string, string>>): CredentialSource {
  const pathOf = (path: string): string | null => (Object.hasOwn(files(), path) ? (files()[path] ?? null) : null);
  return {
    stampOf: (path) => {
      const file = pathOf(path);
      return file === null ? null : fileStamp(file);
    },
    read: async (path) => {
      const file = pathOf(path);
      const real = file === null ? null : await realpath(file).catch((error: unknown) => absent(path, error));
      if (real === null) return null;
      const inside = relative(await realpath(home), real);
      if (!inside.startsWith('../') && isOwnFile(inside))
        throw credentialFileError(path, "it leads to one of Caisson's own files");
      return await readContent(path, real);
    },
  };
}

/** Stamp from one call of stat(2); it changes also when a file is replaced by rename. */
export function fileStamp(path: string): string | null {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : stamp(found);
  } catch {
    return 'unreadable'; // the read reports why
  }
}

function stamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

async function readCredential(home: string, path: string): Promise<CredentialContent | null> {
  const real = await realpath(join(home, path)).catch((error: unknown) => absent(path, error));
  if (real === null) return null;
  const inside = relative(await realpath(home), real);
  if (inside.startsWith('../') || inside === '..')
    throw credentialFileError(path, 'it leads out of the state directory');
  if (isOwnFile(inside)) throw credentialFileError(path, "it leads to one of Caisson's own files");
  return await readContent(path, real);
}

async function readContent(path: string, real: string): Promise<CredentialContent | null> {
  // Neither a link that takes its place now nor a named pipe is opened.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(real, flags).catch((error: unknown) => absent(path, error));
  if (file === null) return null;
  try {
    const found = await file.stat({ bigint: true });
    const problem = problemWith(found);
    if (problem !== null) throw credentialFileError(path, problem);
    return { bytes: await file.readFile(), stamp: stamp(found) };
  } finally {
    await file.close();
  }
}

function problemWith(found: BigIntStats): string | null {
  if (!found.isFile()) return 'it is no regular file';
  if (found.nlink > 1n) return 'it has several names (hard links), so that it could be a file from anywhere';
  return found.size > maxFileBytes ? `it is larger than ${maxFileBytes} bytes` : null;
}

function absent(path: string, error: unknown): null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw credentialFileError(path, `it cannot be opened (${code})`, error);
}

function credentialFileError(path: string, problem: string, cause?: unknown): CaissonError {
  return new CaissonError('invalid_argument', `the credential file ${JSON.stringify(path)} is refused: ${problem}`, {
    cause,
    details: { path },
    remedy: 'put a copy of it there, or take it out of the configuration',
  });
}
