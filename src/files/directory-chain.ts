/** The open directories from a root down to where the work is. Neighbours in a tree share most of them. */
import type { ByteName } from './byte-name.ts';
import { closeDirectory, type Directory, openChild } from './directory.ts';

export class DirectoryChain {
  readonly #root: Directory;
  readonly #names: ByteName[] = [];
  readonly #opened: Directory[] = [];

  constructor(root: Directory) {
    this.#root = root;
  }

  /** The directory that holds the entry at `segments`. Throws ENOENT or ENOTDIR; never walks through a link. */
  parentOf(segments: readonly ByteName[]): Directory {
    const wanted = segments.length - 1;
    this.#shrink(this.#shared(segments, wanted));
    for (let i = this.#names.length; i < wanted; i++) this.#descend(segments[i] ?? '');
    return this.#opened.at(-1) ?? this.#root;
  }

  close(): void {
    this.#shrink(0);
  }

  #shared(segments: readonly ByteName[], wanted: number): number {
    const max = Math.min(this.#names.length, wanted);
    let same = 0;
    while (same < max && this.#names[same] === segments[same]) same++;
    return same;
  }

  #shrink(length: number): void {
    this.#names.length = length;
    for (const directory of this.#opened.splice(length)) closeDirectory(directory);
  }

  #descend(name: ByteName): void {
    this.#opened.push(openChild(this.#opened.at(-1) ?? this.#root, name));
    this.#names.push(name);
  }
}
