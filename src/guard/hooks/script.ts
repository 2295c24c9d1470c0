/** The file of a hook: where it is, and what is in it now. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';

const mostBytes = 16 * 1024 * 1024;

export type Script =
  | { readonly path: string; readonly sha256: string; readonly problem: null }
  | { readonly path: string; readonly sha256: null; readonly problem: string };

export interface Places {
  /** The state directory. */
  readonly home: string;
  /** Of the user, for `~`. */
  readonly userHome: string | undefined;
}

/** Links are followed: what is pinned is the file that will run. */
export async function readScript(program: string, { home, userHome }: Places): Promise<Script> {
  const named = program.startsWith('~/') && userHome !== undefined ? join(userHome, program.slice(2)) : program;
  const wanted = named.startsWith('/') ? named : join(home, named);
  try {
    const path = await realpath(wanted);
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const { mode, uid, size } = await file.stat();
      const problem = problemOf({ mode, uid, size });
      if (problem !== null) return { path, sha256: null, problem };
      return {
        path,
        sha256: createHash('sha256')
          .update(await file.readFile())
          .digest('hex'),
        problem: null,
      };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { path: wanted, sha256: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Whoever may write it decides what runs before every command. */
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
  return size > mostBytes ? `it has more than ${mostBytes} bytes` : null;
}
