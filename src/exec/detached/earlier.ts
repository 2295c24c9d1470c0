/** Detached processes of earlier versions: one small file each under `<home>/processes`, named by its id. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface EarlierProcess {
  readonly id: string;
  readonly sandboxId: string;
}

const idForm = /^exec_[A-Za-z0-9_-]{1,64}$/;
const sandboxForm = /^[A-Za-z0-9_-]{1,64}$/;

export async function earlierProcesses(home: string): Promise<readonly EarlierProcess[]> {
  const directory = join(home, 'processes');
  const names = await readdir(directory).catch(() => []); // there was none
  const found = await Promise.all(
    names
      .filter((name) => idForm.test(name))
      .map(async (id) => ({ id, sandboxId: await readFile(join(directory, id), 'utf8').catch(() => '') })),
  );
  return found.filter(({ sandboxId }) => sandboxForm.test(sandboxId));
}

export async function forgetEarlierProcesses(home: string): Promise<void> {
  await rm(join(home, 'processes'), { recursive: true, force: true });
}
