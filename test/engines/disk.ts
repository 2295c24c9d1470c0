/** A file with a btrfs in it: the one way to disk limits that Docker really enforces on any machine. */
import { execFile } from 'node:child_process';
import { existsSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const sizeBytes = 3 * 1024 ** 3;

/** Sparse: it takes what is written. Made aside and renamed, so that a half-made one is never used. */
export async function makeDisk(slot: string): Promise<string> {
  const image = join(slot, 'disk.btrfs');
  if (existsSync(image)) return image;
  const making = `${image}.making`;
  rmSync(making, { force: true });
  writeFileSync(making, '');
  truncateSync(making, sizeBytes);
  await run('mkfs.btrfs', ['--quiet', making]);
  renameSync(making, image);
  return image;
}
