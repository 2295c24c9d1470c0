/** The files of a hook: its program and what it is given by path. Where they are, and what is in them now. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hook } from './types.ts';

const maxBytes = 16 * 1024 * 1024;

export type Script = {
  readonly path: string;
  /** Which word of the command names it; 0: the program. */
  readonly word: number;
} & (
  | { readonly sha256: string; readonly bytes: Buffer; readonly problem: null }
  | { readonly sha256: null; readonly problem: string }
);

export interface Places {
  /** The state directory, where hooks run. */
  readonly home: string;
  /** Home directory of the user, for `~`. */
  readonly userHome: string | undefined;
}

/** The program first, and then each argument that names a regular file: it may be the text that an interpreter runs. */
export async function readScripts(
  { command: [program, ...args] }: Pick<Hook, 'command'>,
  { home, userHome }: Places,
): Promise<readonly [Script, ...Script[]]> {
  const named = program.startsWith('~/') && userHome !== undefined ? join(userHome, program.slice(2)) : program;
  const wanted = named.startsWith('/') ? named : join(home, named);
  const files = args.map(
    async (word, index) => await readArgument(word.startsWith('/') ? word : join(home, word), index + 1),
  );
  const given = (await Promise.all(files)).filter((script) => script !== null);
  return [await readScript(wanted), ...given];
}

async function readScript(wanted: string): Promise<Script> {
  try {
    return await opened(wanted, 0);
  } catch (error) {
    return { path: wanted, word: 0, sha256: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** `null`: it names no regular file, or none that this user can read. */
async function readArgument(wanted: string, word: number): Promise<Script | null> {
  try {
    return await opened(wanted, word);
  } catch {
    return null;
  }
}

/** Links are followed: what is pinned is the file that will run. */
async function opened(wanted: string, word: number): Promise<Script> {
  const path = await realpath(wanted);
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    return { path, word, ...(await contentOf(file, word === 0)) };
  } finally {
    await file.close();
  }
}

async function contentOf(
  file: FileHandle,
  isProgram: boolean,
): Promise<{ sha256: string; bytes: Buffer; problem: null } | { sha256: null; problem: string }> {
  const { mode, uid, size } = await file.stat();
  if (!isProgram && (mode & constants.S_IFMT) !== constants.S_IFREG) throw new Error('no regular file');
  const problem = problemOf({ mode: isProgram ? mode : mode | 0o111, uid, size });
  if (problem !== null) return { sha256: null, problem };
  const bytes = await file.readFile();
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes, problem: null };
}

/** A user who may write it decides what runs before every command. */
function problemOf({
  mode,
  uid,
  size,
}: {
  readonly mode: number;
  readonly uid: number;
  readonly size: number;
}): string | null {
  const self = process.getuid?.() ?? uid;
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return 'it is not a regular file';
  if (uid !== self && uid !== 0) return `it belongs to another user (uid ${uid})`;
  if ((mode & 0o022) !== 0) return 'other users may write it: chmod go-w';
  if ((mode & 0o111) === 0) return 'it may not be executed: chmod u+x';
  return size > maxBytes ? `it has more than ${maxBytes} bytes` : null;
}
