/**
 * Ids of a segment whose entries were dropped from memory: four bytes each, where an entry takes some three hundred. An id
 * that is not here is certainly not in the dropped part; one that is here is looked for in the file.
 */
import { createHash } from 'node:crypto';

const firstLength = 1024;

export class Forgotten {
  #hashes = new Uint32Array(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(execId: string): void {
    if (this.#size === this.#hashes.length) {
      const larger = new Uint32Array(Math.max(firstLength, 2 * this.#size));
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#size] = hashOf(execId);
    this.#size++;
  }

  has(execId: string): boolean {
    if (this.#size === 0) return false;
    const at = this.#hashes.indexOf(hashOf(execId));
    return at !== -1 && at < this.#size;
  }
}

function hashOf(execId: string): number {
  return createHash('sha1').update(execId).digest().readUInt32LE();
}
