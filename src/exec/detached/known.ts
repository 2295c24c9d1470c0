/**
 * Which sandbox a detached process is in, by its id: one small file each under `<home>/processes`. A signpost only: what
 * the process does and did is asked of the sandbox itself. Written before the process is started.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CaissonError } from '../../errors.ts';

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

  /** The first that is known under an id stays: of several who ask at once, one gets it. */
  async add(known: KnownProcess): Promise<{ readonly sandboxId: string; readonly isNew: boolean }> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const draft = `${this.#path(known.id)}.${randomUUID()}`;
    await writeFile(draft, known.sandboxId, { mode: 0o600 });
    try {
      await link(draft, this.#path(known.id));
      return { sandboxId: known.sandboxId, isNew: true };
    } catch (error) {
      const present = await this.find(known.id);
      if (present === null) throw error;
      return { sandboxId: present.sandboxId, isNew: false };
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Throws `already_exists` for the id of a detached process: one id is one command. */
  async refuse(id: string): Promise<void> {
    if ((await this.find(id)) === null) return;
    throw new CaissonError('already_exists', `${id} is a detached process`, {
      remedy: '`caisson wait` and `caisson logs` tell of it; choose another id to run something else',
      details: { execId: id },
    });
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
