/** The directory in which a copy comes together, beside its place and on the same file system. */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { lives } from '../lib/lives.ts';
import { type ByteName, toBytes } from './byte-name.ts';
import { at, closeDirectory, type Directory, openChild } from './directory.ts';
import { fsError } from './fs-error.ts';
import { removeTree } from './remove-tree.ts';

const namePattern = /^\.caisson-copy-([0-9]{1,10})-[0-9a-f]{16}$/;
/** A process of this number may live on another machine that shares the directory: what is young is left alone. */
const staleMs = 3_600_000;

export const isStaging = (name: ByteName): boolean => namePattern.test(name);

export interface Staging extends AsyncDisposable {
  readonly directory: Directory;
}

/** Also collects what copies of dead processes have left in the same place. */
export async function openStaging(base: Directory): Promise<Staging> {
  await collectStaging(base);
  const name = `.caisson-copy-${process.pid}-${randomBytes(8).toString('hex')}`;
  const directory = make(base, name);
  return {
    directory,
    async [Symbol.asyncDispose]() {
      closeDirectory(directory);
      await remove(base, name);
    },
  };
}

function make(base: Directory, name: string): Directory {
  try {
    mkdirSync(at(base, name), 0o700);
    return openChild(base, name);
  } catch (error) {
    throw fsError('write to the directory of the target', error);
  }
}

async function collectStaging(base: Directory): Promise<void> {
  for (const name of list(base)) {
    const pid = namePattern.exec(name)?.[1];
    if (pid !== undefined && !lives(Number(pid)) && isStale(base, name)) await remove(base, name);
  }
}

async function remove(base: Directory, name: string): Promise<void> {
  try {
    await removeTree(base, name);
  } catch {
    // Somebody changes it under our hands, or owns it. The outcome of the copy stands; a later copy tries again.
  }
}

function list(base: Directory): string[] {
  try {
    return readdirSync(toBytes(base.prefix), { encoding: 'latin1' });
  } catch {
    // A directory may be writable and not readable; then nothing can be collected.
    return [];
  }
}

function isStale(base: Directory, name: string): boolean {
  const stats = lstatSync(at(base, name), { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && Date.now() - stats.mtimeMs > staleMs;
}
