/** Whether the configuration file may say something else than what was read: asked before every command, so it costs one stat. */
import { statSync } from 'node:fs';
import { sourceNow } from './source.ts';
import { configFile } from './text.ts';

/** Two changes within one tick of a file system's clock leave the same times; some count in steps of two seconds. */
const tickMs = 2000;

/** One look at the file. */
export interface Look {
  /** Differs after a change, except within a tick. */
  readonly mark: string;
  readonly changedMs: number;
  /** The hash of the text, by `sourceNow`. */
  readonly source: string | null;
}

export class Freshness {
  readonly #home: string;
  /** The text that was read, and the look before it. */
  #source: string | null;
  #look: Omit<Look, 'source'> | null = null;

  constructor(home: string, source: string) {
    this.#home = home;
    this.#source = source;
  }

  isStale(): boolean {
    const { mark, changedMs } = markOf(this.#home);
    const isSettled = this.#look?.mark === mark && Math.abs(Date.now() - changedMs) > tickMs;
    if (isSettled) return false;
    if (sourceNow(this.#home) !== this.#source) return true;
    this.#look = { mark, changedMs };
    return false;
  }

  /** To be called before the file is read. */
  look(): Look {
    return { ...markOf(this.#home), source: sourceNow(this.#home) };
  }

  /** The text that this look has found is known now. */
  took({ source, ...look }: Look): void {
    this.#source = source;
    this.#look = look;
  }

  /** A reading of the file whose look is not known. */
  tookSource(source: string): void {
    this.#source = source;
    this.#look = null;
  }
}

function markOf(home: string): Omit<Look, 'source'> {
  const found = statSync(configFile(home), { throwIfNoEntry: false, bigint: true });
  if (found === undefined) return { mark: 'none', changedMs: 0 };
  const { ino, size, mtimeNs, ctimeNs } = found;
  return { mark: [ino, size, mtimeNs, ctimeNs].join(' '), changedMs: Number(ctimeNs / 1_000_000n) };
}
