/** The state directory: that it is there, and that no other user can write to it. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CaissonError } from '../errors.ts';
import { shortageError } from '../lib/shortage.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Makes it where it is absent. */
export async function prepareHome(home: string): Promise<void> {
  await makeDirectory(home).catch((error: unknown) => {
    throw new CaissonError('failed_precondition', `the state directory ${home} cannot be made`, {
      cause: error,
      remedy: 'set CAISSON_HOME to a directory that this user may write',
    });
  });
  await checkHome(home);
}

/** An absent one is nothing to refuse. */
export async function checkHome(home: string): Promise<void> {
  const found = await stat(home).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isDirectory())
    throw new CaissonError('failed_precondition', `the state directory ${home} is not a directory`);
  refuseForeign(home, found, 'the state directory');
  if ((found.mode & 0o022) !== 0) throw exposedFileError(home, found, 'written', 'chmod go-w');
}

/** Node's own `recursive` tries for ever where a parent is there and takes nothing, such as /proc. */
async function makeDirectory(path: string): Promise<void> {
  if (await makeOne(path)) return;
  await makeDirectory(dirname(path));
  if (!(await makeOne(path))) throw new CaissonError('failed_precondition', `${dirname(path)} takes no directories`);
}

/** False when its parent is not there. */
async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    if (code === 'EEXIST') return true; // its caller looks at what it is
    throw error;
  }
}

/** S_ISVTX of <sys/stat.h>. */
const stickyBit = 0o1000;

export interface FileRules {
  /** Mode bits that must not be set. */
  readonly forbidden: number;
  readonly limitBytes: number;
}

/** The text of a small file of the operator's. `null` when it does not exist. */
export async function readOwnFile(path: string, rules: FileRules): Promise<string | null> {
  const file = await openIfThere(path);
  if (file === null) return null;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new CaissonError('failed_precondition', `${path} is not a regular file`);
    refuseForeign(path, found, 'the file');
    if ((found.mode & rules.forbidden) !== 0) throw loosePermissionsError(path, found, rules);
    if (found.size > rules.limitBytes)
      throw new CaissonError('invalid_argument', `${path} is larger than ${rules.limitBytes} bytes`);
    return await file.readFile('utf8').catch((error: unknown) => {
      throw shortageError(error, `${path} cannot be read`) ?? error;
    });
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    // Without O_NONBLOCK a named pipe in this place would keep us waiting for ever.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    const message = `${path} cannot be read`;
    throw (
      shortageError(error, message) ??
      new CaissonError('failed_precondition', message, {
        cause: error,
        remedy: `chmod u+r ${path}`,
      })
    );
  }
}

/** In a sticky directory such as /tmp, other users cannot replace what they do not own. */
export function refuseWritable(path: string, found: Stats): void {
  refuseForeign(path, found, found.isDirectory() ? 'the directory' : 'the file');
  const isSticky = found.isDirectory() && (found.mode & stickyBit) !== 0;
  if ((found.mode & 0o022) !== 0 && !isSticky) throw exposedFileError(path, found, 'written', 'chmod go-w');
}

/** Root may use what belongs to the user it works for; no other user should trust what a third party can rewrite. */
function refuseForeign(path: string, found: Stats, what: string): void {
  const self = process.getuid?.();
  if (self === undefined || self === 0 || found.uid === self || found.uid === 0) return;
  throw new CaissonError('failed_precondition', `${what} ${path} belongs to another user (uid ${found.uid})`, {
    remedy: `chown it to uid ${self}, or set CAISSON_HOME to a directory of your own`,
  });
}

function loosePermissionsError(path: string, found: Stats, rules: FileRules): CaissonError {
  return (rules.forbidden & 0o044) === 0
    ? exposedFileError(path, found, 'written', 'chmod go-w')
    : exposedFileError(path, found, 'read or written', 'chmod 600');
}

function exposedFileError(path: string, found: Stats, verb: string, command: string): CaissonError {
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  return new CaissonError('failed_precondition', `${path} can be ${verb} by other users (mode ${mode})`, {
    remedy: `${command} ${path}`,
    details: { path, mode },
  });
}
