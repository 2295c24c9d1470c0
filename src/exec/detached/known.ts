/**
 * Which sandbox a detached process is in, by its id: one small file each under `<home>/processes`. A signpost only: what
 * the process does and did is asked of the sandbox itself. Written before the process is started.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface KnownProcess {
  readonly id: string;
  readonly sandboxId: string;
}

const idForm = /^exec_[A-Za-z0-9_-]{1,64}$/;
const sandboxForm = /^[A-Za-z0-9_-]{1,64}$/;

export class KnownProcesses {
  readonly #directory: string;

  constructor(home: string) {
    this.#directory = join(home, 'processes');
  }

  /** The one that is already known under this id stays. */
  async add(known: KnownProcess): Promise<KnownProcess> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const present = await this.find(known.id);
    if (present !== null) return present;
    const path = this.#path(known.id);
    await writeFile(`${path}.${process.pid}`, known.sandboxId, { mode: 0o600 });
    await rename(`${path}.${process.pid}`, path);
    return known;
  }

  async find(id: string): Promise<KnownProcess | null> {
    if (!idForm.test(id)) return null;
    try {
      const sandboxId = await readFile(this.#path(id), 'utf8');
      return sandboxForm.test(sandboxId) ? { id, sandboxId } : null;
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async all(): Promise<readonly KnownProcess[]> {
    const found = await Promise.all((await this.#names()).map((name) => this.find(name)));
    return found.filter((known) => known !== null);
  }

  async forget(id: string): Promise<void> {
    if (idForm.test(id)) await rm(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.#directory, id);
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.#directory);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
