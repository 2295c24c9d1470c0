/** Images by id: those of references, which all have the programs of this host, and snapshots of sandboxes. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MovableClock } from './movable-clock.ts';
import { Refusal } from './refuse.ts';

export interface StoredImage {
  readonly id: string;
  readonly directory: string;
  readonly expiresMs: number | null;
  /** The log of its build has been read to the end. */
  isBuilt: boolean;
}

const dayMs = 24 * 3600 * 1000;
const defaultLifeMs = 30 * dayMs;
const reference = /^[a-z0-9][A-Za-z0-9._:/@-]{0,400}$/;

export class Images {
  readonly #root: string;
  readonly #clock: MovableClock;
  readonly #byId = new Map<string, StoredImage>();

  constructor(root: string, clock: MovableClock) {
    this.#root = root;
    this.#clock = clock;
  }

  get ids(): readonly string[] {
    return [...this.#byId.keys()];
  }

  /** Equal recipes give one image. */
  async ofRecipe(commands: readonly string[]): Promise<StoredImage> {
    const [from = '', ...others] = commands;
    const name = /^FROM (\S+)$/.exec(from)?.[1];
    if (name === undefined || others.length > 0)
      throw new Refusal('UNIMPLEMENTED', 'the emulator has images of one line `FROM REFERENCE` alone');
    if (!reference.test(name)) throw new Refusal('INVALID_ARGUMENT', `${name.slice(0, 100)} is no image reference`);
    const id = `im-${createHash('sha256').update(from).digest('hex').slice(0, 22)}`;
    return this.#byId.get(id) ?? (await this.#add(id, null));
  }

  /** `ttlSeconds`: null for the usual 30 days, -1 for no end. */
  async ofSnapshot(ttlSeconds: number | null, fill: (directory: string) => Promise<void>): Promise<StoredImage> {
    const lifeMs = ttlSeconds === null ? defaultLifeMs : ttlSeconds * 1000;
    const image = await this.#add(
      `im-${randomBytes(11).toString('hex')}`,
      lifeMs < 0 ? null : this.#clock.nowMs() + lifeMs,
    );
    await fill(image.directory);
    image.isBuilt = true;
    return image;
  }

  present(id: string): StoredImage {
    const image = this.#byId.get(id);
    const isOver = image !== undefined && image.expiresMs !== null && image.expiresMs <= this.#clock.nowMs();
    if (image !== undefined && !isOver) return image;
    throw new Refusal('NOT_FOUND', `Could not find image with ID ${id.slice(0, 80)}`);
  }

  async remove(id: string): Promise<void> {
    const image = this.#byId.get(id);
    this.#byId.delete(id);
    if (image !== undefined) await rm(image.directory, { recursive: true, force: true });
  }

  async removeAll(): Promise<void> {
    for (const id of this.ids) await this.remove(id);
  }

  async #add(id: string, expiresMs: number | null): Promise<StoredImage> {
    const image = { id, directory: join(this.#root, id), expiresMs, isBuilt: false };
    this.#byId.set(id, image);
    await mkdir(image.directory, { recursive: true, mode: 0o755 });
    return image;
  }
}
