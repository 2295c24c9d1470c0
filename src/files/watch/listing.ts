/** What the script of a watch answers. Hostile bytes in, a bounded listing out. */
import { CaissonError } from '../../errors.ts';
import type { ByteName } from '../byte-name.ts';

export const maxListingBytes = 4 * 1024 * 1024;
export const maxEntries = 20_000;
const longestTail = 64;

/** Facts by path, `.` for the directory itself. `full`: there is more than is compared. */
export type Answer =
  | { readonly is: 'same' | 'gone' | 'full' }
  | { readonly is: 'listing'; readonly facts: ReadonlyMap<ByteName, string> };

/** Collects the bytes of one answer. */
export class AnswerReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** `null`: there is more to come. */
  push(chunk: Buffer): Answer | null {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > maxListingBytes + longestTail) throw listingError();
    const end = /\/\/(same|gone|end)\n$/.exec(this.#tail())?.[1];
    if (end === undefined) return null;
    const said = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    if (end === 'same' || end === 'gone') return { is: end };
    return said.length > maxListingBytes ? { is: 'full' } : parse(said.toString('latin1'));
  }

  /** A chunk may be a single byte. */
  #tail(): string {
    let tail = '';
    for (let at = this.#chunks.length - 1; at >= 0 && tail.length < longestTail; at--)
      tail = (this.#chunks[at]?.subarray(-longestTail).toString('latin1') ?? '') + tail;
    return tail;
  }
}

function parse(said: string): Answer {
  const facts = new Map<ByteName, string>();
  for (let at = 0; at < said.length;) {
    const slashes = said.indexOf('//', at);
    const end = said.indexOf('\n', slashes);
    if (slashes < 0 || end < 0) throw listingError();
    const name = said.slice(at, slashes);
    const fact = said.slice(slashes + 2, end);
    at = end + 1;
    if (at === said.length && name === '' && fact === 'end') break;
    if (!/^[0-9a-f]{1,8} [0-9]{1,20} [-+.: 0-9A-Za-z]{1,120}$/.test(fact)) throw listingError();
    if (facts.size > maxEntries) return { is: 'full' };
    facts.set(name === '.' ? name : name.replace(/^\.\//, ''), fact);
  }
  return { is: 'listing', facts };
}

export function listingError(): CaissonError {
  return new CaissonError('failed_precondition', 'what the sandbox says about the directory cannot be read', {
    remedy: 'its image needs sh, find, stat and head, as BusyBox and GNU have them',
  });
}
