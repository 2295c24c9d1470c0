/** The file of the host that a mount shows, held while it is looked at, so that its name cannot change meanwhile. */
import { closeSync, fstatSync, openSync, readlinkSync } from 'node:fs';
import type { FileIdentity, Mount } from '../backend.ts';
import { mountError } from './mounts.ts';

/** open(2) on Linux: a descriptor that only names a file, whatever its mode. */
const namesOnly = 0o10_000_000;

/** Device and inode of the file at the recorded source. Throws `invalid_argument` when a link leads from there elsewhere. */
export function sourceIdentity(mount: Mount): FileIdentity {
  const fd = opened(mount);
  try {
    const real = readlinkSync(`/proc/self/fd/${fd}`);
    if (real !== mount.source) throw mountError(mount, `it has become a link, or lies below one: it leads to ${real}`);
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return { device: dev, inode: ino };
  } finally {
    closeSync(fd);
  }
}

function opened(mount: Mount): number {
  try {
    return openSync(mount.source, namesOnly);
  } catch (error) {
    throw mountError(mount, 'it cannot be found', error);
  }
}
