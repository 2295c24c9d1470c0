/** Writes one file that is open: small ones at once, large ones in portions and asynchronously. */
import { closeSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { type ByteName, printable } from './byte-name.ts';
import { fsError } from './fs-error.ts';

const writeAsync = promisify(write);
const portionBytes = 1024 * 1024;

/**
 * A buffer that collects large files, one file after the other. Pieces come in a few kilobytes each; copying them here lets
 * go of them at once, while keeping them for a gathered write costs more in garbage collection than all the rest.
 */
export class Portion {
  readonly buffer = Buffer.allocUnsafe(portionBytes);
  used = 0;
}

export interface FileToWrite {
  readonly fd: number;
  readonly name: ByteName;
  readonly size: number;
}

export class FileWriter {
  readonly #file: FileToWrite;
  /** `null`: written at once. */
  readonly #portion: Portion | null;

  constructor(file: FileToWrite, portion: () => Portion) {
    this.#file = file;
    this.#portion = file.size > portionBytes ? portion() : null;
  }

  write(bytes: Buffer): Promise<void> | undefined {
    const portion = this.#portion;
    if (portion === null) return this.#writeNow(bytes);
    if (bytes.length > portionBytes - portion.used) return this.#overflow(portion, bytes);
    portion.used += bytes.copy(portion.buffer, portion.used);
    return undefined;
  }

  end(): Promise<void> | undefined {
    if (this.#portion !== null) return this.#flush(this.#portion).finally(() => this.close());
    this.close();
    return undefined;
  }

  close(): void {
    closeSync(this.#file.fd);
  }

  async #overflow(portion: Portion, bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const copied = bytes.copy(portion.buffer, portion.used, at);
      at += copied;
      portion.used += copied;
      if (portion.used === portionBytes) await this.#flush(portion);
    }
  }

  async #flush(portion: Portion): Promise<void> {
    const { buffer, used } = portion;
    portion.used = 0;
    try {
      for (let done = 0; done < used;)
        done += (await writeAsync(this.#file.fd, buffer, done, used - done)).bytesWritten;
    } catch (error) {
      throw this.#writeError(error);
    }
  }

  #writeNow(bytes: Buffer): undefined {
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#file.fd, bytes, done);
    } catch (error) {
      throw this.#writeError(error);
    }
  }

  #writeError(error: unknown): Error {
    return fsError(`write ${printable(this.#file.name)}`, error);
  }
}
