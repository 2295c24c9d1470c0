/** How much the directories of tasks hold. A sandbox can write them, so that links are not followed and the walk has a bound. */
import { opendir, lstat } from 'node:fs/promises';
import { join } from 'node:path';

const maxEntries = 20_000;
const everyMs = 60_000;
const blockBytes = 512;

interface Measurement {
  readonly bytes: Promise<number | null>;
  readonly atMs: number;
}

export class DiskUse {
  readonly #measured = new Map<string, Measurement>();

  /** `null`: more entries than are counted, or it cannot be read. */
  async of(directory: string | null): Promise<number | null> {
    if (directory === null) return null;
    const now = performance.now();
    for (const [path, { atMs }] of this.#measured) if (now - atMs > everyMs) this.#measured.delete(path);
    const known = this.#measured.get(directory) ?? { bytes: bytesIn(directory), atMs: now };
    this.#measured.set(directory, known);
    return await known.bytes;
  }
}

async function bytesIn(directory: string): Promise<number | null> {
  const waiting = [directory];
  let [bytes, entries] = [0, 0];
  try {
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
      for await (const entry of await opendir(at)) {
        entries += 1;
        if (entries > maxEntries) return null;
        const path = join(at, entry.name);
        bytes += await blocksOf(path);
        if (entry.isDirectory()) waiting.push(path);
      }
    return bytes;
  } catch {
    return null; // it was removed meanwhile, or is not ours to read
  }
}

/** What was removed since it was listed takes nothing. */
async function blocksOf(path: string): Promise<number> {
  return await lstat(path).then(
    ({ blocks }) => blocks * blockBytes,
    () => 0,
  );
}
