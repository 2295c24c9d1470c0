/**
 * What makes a sandbox on this host findable: one small file each, in a directory that only this account can read.
 *
 *   ROOT/caisson-UID/BACKEND/INSTANCE/NAME.json     ROOT is TMPDIR, or /tmp
 *
 * Not XDG_RUNTIME_DIR: that one goes with the login session, and is unset in services, while the processes of a
 * sandbox live on and every process of the instance must see the same files.
 */
import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Labels } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { ownAccount } from '../../src/lib/own-account.ts';
import { systemError, systemCode } from './system-fault.ts';

const suffix = '.json';

export interface Kind<T> {
  /** The backend's name. */
  readonly name: string;
  /** Strict: `null` for a text that we did not write. */
  readonly parse: (text: string) => T | null;
}

export class Registry<T extends { readonly labels: Labels }> {
  /** The directory that must be ours. */
  readonly root: string;
  readonly #kind: Kind<T>;

  constructor(temporary: string, kind: Kind<T>) {
    this.root = join(temporary, `caisson-${ownAccount().uid}`);
    this.#kind = kind;
  }

  file(instance: string, name: string): string {
    return join(this.#directory(instance), `${fileName(name)}${suffix}`);
  }

  /** False when the name is taken. */
  async insert(file: string, registration: T): Promise<boolean> {
    await this.#prepare(dirname(file));
    const draft = await writeDraft(file, registration);
    try {
      await link(draft, file);
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw systemError(error, 'register the sandbox');
    } finally {
      await unlink(draft);
    }
  }

  async replace(file: string, registration: T): Promise<void> {
    await rename(await writeDraft(file, registration), file);
  }

  async remove(file: string): Promise<void> {
    try {
      await unlink(file);
    } catch (error) {
      if (!isAbsent(error)) throw systemError(error, 'remove the registration');
    }
  }

  /** `null` without a registration. Throws `conflict` for a file that Caisson did not write. */
  async read(file: string): Promise<T | null> {
    if (!(await isOurs(rootOf(file)))) return null;
    const text = await readText(file);
    if (text === null) return null;
    const registration = this.#kind.parse(text);
    if (registration !== null) return registration;
    throw new CaissonError('conflict', `${file} is not a registration of this version`, { remedy: 'remove the file' });
  }

  /** `null` also when the name has been given to another sandbox since. */
  async readOf(file: string, sandbox: string): Promise<T | null> {
    const registration = await this.read(file);
    return registration?.labels.sandbox === sandbox ? registration : null;
  }

  /** Throws `not_found`. */
  async presentOf(file: string, sandbox: string): Promise<T> {
    const registration = await this.readOf(file, sandbox);
    if (registration !== null) return registration;
    throw new CaissonError('not_found', `sandbox ${sandbox} is gone`, { details: { sandbox } });
  }

  /** Files that Caisson did not write are left out: they are no sandboxes. */
  async all(instance: string): Promise<readonly { readonly file: string; readonly registration: T }[]> {
    if (!(await isOurs(this.root))) return [];
    const directory = this.#directory(instance);
    const found = [];
    for (const entry of await entries(directory)) {
      const text = await readText(join(directory, entry));
      const registration = text === null ? null : this.#kind.parse(text);
      if (registration?.labels.instance === instance) found.push({ file: join(directory, entry), registration });
    }
    return found;
  }

  #directory(instance: string): string {
    return join(this.root, this.#kind.name, fileName(instance));
  }

  async #prepare(directory: string): Promise<void> {
    try {
      await mkdir(this.root, { recursive: true, mode: 0o700 });
      await isOurs(this.root);
      await mkdir(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw systemError(error, 'make the directory of registrations');
    }
  }
}

/** False when the root is not there yet. Throws `failed_precondition` when someone else could have written in it. */
export async function isOurs(root: string): Promise<boolean> {
  try {
    const stats = await lstat(root);
    if (stats.isDirectory() && stats.uid === ownAccount().uid && (stats.mode & 0o077) === 0) return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw systemError(error, 'look at the directory of registrations');
  }
  throw new CaissonError('failed_precondition', `${root} is not a directory of this account alone`, {
    remedy: 'remove it, or point TMPDIR to another directory',
  });
}

/** The registry's root is read from the file in a ref, which another process may have made under another TMPDIR. */
function rootOf(file: string): string {
  return dirname(dirname(dirname(file)));
}

/** Any text as one name of a file: no slash, no dot in front. */
function fileName(text: string): string {
  return encodeURIComponent(text).replace(/^\./, '%2E');
}

async function writeDraft(file: string, registration: unknown): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(registration), { mode: 0o600, flag: 'wx' });
    return draft;
  } catch (error) {
    throw systemError(error, 'write the registration');
  }
}

async function entries(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).filter((entry) => entry.endsWith(suffix));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw systemError(error, 'list the registrations');
  }
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw systemError(error, 'read the registration');
  }
}

function isAbsent(error: unknown): boolean {
  return systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR';
}
