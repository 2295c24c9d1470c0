/** The files of a skill, read once: what is judged is what was hashed. */
import { createHash } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkillFinding } from './types.ts';

const maxFiles = 1000;
const maxFileBytes = 4 * 1024 ** 2;
const maxBytes = 32 * 1024 ** 2;
const maxDepth = 12;

export interface SkillFile {
  /** Below the skill. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
}

export interface SkillTree {
  readonly files: readonly SkillFile[];
  /** What could not be read or does not belong into a skill. */
  readonly problems: readonly SkillFinding[];
  /** `null`: not all could be read. */
  readonly sha256: string | null;
}

export async function readSkill(directory: string): Promise<SkillTree> {
  const reader = new Reader(directory);
  await reader.walk('', 0);
  return reader.tree();
}

class Reader {
  readonly #directory: string;
  readonly #files: SkillFile[] = [];
  readonly #problems: SkillFinding[] = [];
  readonly #hashed: string[] = [];
  #bytes = 0;
  #isWhole = true;

  constructor(directory: string) {
    this.#directory = directory;
  }

  tree(): SkillTree {
    const sha256 = createHash('sha256').update(JSON.stringify(this.#hashed)).digest('hex');
    return { files: this.#files, problems: this.#problems, sha256: this.#isWhole ? sha256 : null };
  }

  async walk(below: string, depth: number): Promise<void> {
    const entries = await readdir(join(this.#directory, below), { withFileTypes: true }).catch(() => null);
    if (entries === null || depth > maxDepth)
      return this.#unread(below, 'a directory that cannot be read, or too deep');
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      // What git keeps for itself runs nothing of the skill.
      if (path === '.git') continue;
      if (!this.#isWhole && this.#files.length >= maxFiles) return;
      await this.#take(path, entry, depth);
    }
  }

  async #take(path: string, entry: Dirent, depth: number): Promise<void> {
    if (entry.isDirectory()) return await this.walk(path, depth + 1);
    if (entry.isSymbolicLink()) return await this.#link(path);
    if (!entry.isFile()) return this.#unread(path, 'neither a file nor a directory');
    if (this.#files.length >= maxFiles)
      return this.#unread('', `more than ${maxFiles} files: keep the skill in a directory of its own`);
    await this.#file(path);
  }

  /** What it leads to can change without the skill. */
  async #link(path: string): Promise<void> {
    const target = await readlink(join(this.#directory, path)).catch(() => '?');
    this.#hashed.push(`link ${path} ${target}`);
    const description = `a link, to ${target.slice(0, 100)}: what it leads to is not judged`;
    this.#problems.push({ file: path, line: null, severity: 'dangerous', category: 'link', description });
  }

  async #file(path: string): Promise<void> {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    const handle = await open(join(this.#directory, path), flags).catch(() => null);
    if (handle === null) return this.#unread(path, 'a file that cannot be read');
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > maxFileBytes || this.#bytes + found.size > maxBytes)
        return this.#unread(path, `too large: a file has at most ${maxFileBytes} bytes, a skill ${maxBytes}`);
      const bytes = await handle.readFile();
      const isExecutable = (found.mode & 0o111) !== 0;
      this.#bytes += bytes.length;
      this.#files.push({ path, bytes, isExecutable });
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      this.#hashed.push(`file ${path} ${isExecutable ? 'x' : '-'} ${sha256}`);
    } finally {
      await handle.close();
    }
  }

  #unread(path: string, description: string): void {
    this.#isWhole = false;
    const file = path === '' ? '.' : path;
    this.#problems.push({ file, line: null, severity: 'dangerous', category: 'unreadable', description });
  }
}
