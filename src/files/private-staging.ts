/** A directory for one archive below the state directory, where no sandbox can write. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Share } from '../budget/types.ts';
import { fromText, toText } from './byte-name.ts';
import { closeDirectory, type Directory, openDirectory, realPath } from './directory.ts';
import { fsError } from './fs-error.ts';
import { openStaging } from './staging.ts';

export interface PrivateStaging extends AsyncDisposable {
  readonly directory: Directory;
  readonly path: string;
}

/** `above`: made when it is not there. What archives of ended processes have left in it goes. */
export async function openPrivateStaging(above: string): Promise<PrivateStaging> {
  const base = openAbove(resolve(above));
  try {
    const staging = await openStaging(base);
    const dispose = async (): Promise<void> => {
      await staging[Symbol.asyncDispose]();
      closeDirectory(base);
    };
    return { directory: staging.directory, path: toText(realPath(staging.directory)), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    closeDirectory(base);
    throw error;
  }
}

/** The share is freed when what it was taken for is gone, also when the directory cannot be made. */
export async function countedStaging(above: string, share: Share): Promise<PrivateStaging> {
  try {
    const staging = await openPrivateStaging(above);
    const dispose = async (): Promise<void> => {
      try {
        await staging[Symbol.asyncDispose]();
      } finally {
        share.free();
      }
    };
    return { ...staging, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    share.free();
    throw error;
  }
}

function openAbove(path: string): Directory {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return openDirectory(fromText(path));
  } catch (error) {
    throw fsError(`write below ${path}`, error);
  }
}
