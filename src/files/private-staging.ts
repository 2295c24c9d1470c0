/** A directory for one archive below the state directory, where no sandbox can write. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
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

function openAbove(path: string): Directory {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return openDirectory(fromText(path));
  } catch (error) {
    throw fsError(`write below ${path}`, error);
  }
}
