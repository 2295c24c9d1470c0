/** The image that Caisson uses where none is configured. All files of a run share one engine, so one at a time has the tag. */
import { mkdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeHome } from './home.ts';

export const baseImage = 'caisson/base:latest';

/** Tags `source` as the base image, and takes the tag away at the end of `await using`. Waits for other files of the run. */
export async function holdBaseImage(source: string): Promise<AsyncDisposable> {
  const lock = join(process.env['CAISSON_TEST_SCRATCH'] ?? tmpdir(), 'base-image');
  while (!(await isTaken(lock))) await sleep(200);
  await tag(['tag', source, baseImage]);
  return {
    [Symbol.asyncDispose]: async () => {
      await tag(['rmi', baseImage]);
      await rmdir(lock);
    },
  };
}

async function isTaken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function tag(args: readonly string[]): Promise<void> {
  await using home = await makeHome();
  await home.engine(args);
}
