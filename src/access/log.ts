/**
 * Who was refused, for the operator: `<home>/logs/access.log`, 0600 in a directory of 0700, one JSON object a line, in ASCII.
 * Never a code, and never the text of a message. A full file becomes `access.log.1` and replaces the one before.
 */
import { constants } from 'node:fs';
import { chmod, mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withLease } from '../sandbox/lease.ts';
import type { Store } from '../store/store.ts';
import type { Silence } from './types.ts';

const fullBytes = 1024 ** 2;
const timeoutMs = 2_000;

/**
 *   message   somebody who is not known wrote. `not-paired`: they got a code
 *   approve   a code was wrong, or codes are not taken now
 *   inside    a command that Caisson runs tried to decide who may talk
 */
export interface Refusal {
  readonly what: 'message' | 'approve' | 'inside';
  readonly why: 'not-allowed' | 'not-paired' | 'wrong-code' | 'inside-a-command' | Silence;
  readonly platform: string | null;
  /** Ids of the sender, as the platform has them. */
  readonly user?: readonly string[];
  readonly name?: string;
  readonly channel?: string;
  /** Who tried, for people. */
  readonly by?: string;
}

export class RefusalLog {
  readonly #directory: string;
  readonly #path: string;
  readonly #store: Store;
  readonly #nowMs: () => number;

  constructor(home: string, { store, nowMs }: { readonly store: Store; readonly nowMs: () => number }) {
    this.#directory = join(home, 'logs');
    this.#path = join(this.#directory, 'access.log');
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** Never throws: a refusal holds also when its line cannot be written. */
  async write(refusal: Refusal): Promise<void> {
    const line = `${asciiJson({ at: new Date(this.#nowMs()).toISOString(), ...refusal })}\n`;
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await chmod(this.#directory, 0o700);
      if ((await this.#size()) + line.length > fullBytes) await this.#rotate();
      await this.#append(line);
    } catch {
      // A full disk, or a file of another user in its place: the refusal itself is what counts.
    }
  }

  async #append(line: string): Promise<void> {
    // A link in this place would lead the lines elsewhere.
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const file = await open(this.#path, flags, 0o600);
    try {
      await file.chmod(0o600);
      await file.write(line);
    } finally {
      await file.close();
    }
  }

  /** Renames the full log; only one of several processes that find it full does so. */
  async #rotate(): Promise<void> {
    await withLease(this.#store, 'access-log', { waitMs: timeoutMs }, async () => {
      if ((await this.#size()) > fullBytes / 2) await rename(this.#path, `${this.#path}.1`);
    });
  }

  async #size(): Promise<number> {
    return await stat(this.#path).then(
      ({ size }) => size,
      () => 0,
    );
  }
}

/** Strangers choose their names: nothing in a line may act on a terminal, or turn the text around it. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
