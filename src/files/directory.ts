/**
 * Directories that are held open, so that no process can turn a part of a path into a link between two steps.
 *
 * Node has no openat(2). On Linux `/proc/self/fd/N/name` is the same thing: the kernel starts at the open directory
 * itself, wherever it has been moved. Elsewhere the plain path is used, with `lstat` before each step; there a process
 * that can write the directory at the same time could win a race, which is one more reason to run the service on Linux.
 */
import { closeSync, constants, existsSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { type ByteName, fromText, toBytes } from './byte-name.ts';

const held = process.platform === 'linux' && existsSync('/proc/self/fd');
/** open(2), Linux: a handle for walking only, which needs no right to read the directory. Not in Node's constants. */
const oPath = 0o10000000;

export interface Directory {
  readonly fd: number | null;
  /** Prefix by which entries are reached, ending in `/`. */
  readonly prefix: ByteName;
}

export function openDirectory(path: ByteName): Directory {
  if (!held) return byPath(path);
  const fd = openSync(toBytes(path), oPath | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return { fd, prefix: `/proc/self/fd/${fd}/` };
}

function byPath(path: ByteName): Directory {
  if (!lstatSync(toBytes(path)).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  return { fd: null, prefix: path.endsWith('/') ? path : `${path}/` };
}

/** The path of an entry of the directory, for any call of `node:fs`. */
export function at(directory: Directory, name: ByteName): Buffer {
  return toBytes(directory.prefix + name);
}

/** Never through a link: ENOTDIR instead. */
export function openChild(directory: Directory, name: ByteName): Directory {
  return openDirectory(directory.prefix + name);
}

export function closeDirectory(directory: Directory): void {
  if (directory.fd !== null) closeSync(directory.fd);
}

/** Asks the kernel for the present path of the directory. */
export function realPath(directory: Directory): ByteName {
  if (directory.fd === null) return realpathSync(toBytes(directory.prefix), { encoding: 'latin1' });
  return readlinkSync(`/proc/self/fd/${directory.fd}`, { encoding: 'latin1' });
}

export const rootDirectory = (): Directory => openDirectory(fromText('/'));
