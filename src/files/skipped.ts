/** What was left out of a copy, for people. Bounded: a hostile archive may hold millions of links. */
import { type ByteName, printable } from './byte-name.ts';

const maxListed = 1000;

export class SkippedList {
  readonly #listed: { readonly path: string; readonly reason: string }[] = [];
  #more = 0;

  add(segments: readonly ByteName[], reason: string): void {
    if (this.#listed.length < maxListed) this.#listed.push({ path: printable(segments.join('/')), reason });
    else this.#more++;
  }

  list(): readonly { readonly path: string; readonly reason: string }[] {
    if (this.#more === 0) return this.#listed;
    return [...this.#listed, { path: '...', reason: `${this.#more} more were left out` }];
  }
}
