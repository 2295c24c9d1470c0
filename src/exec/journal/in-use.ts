import type { Catalogue } from './catalogue.ts';
import type { StoredFile } from './expire.ts';
import type { Entry } from './segment.ts';

/** Which files a live process still writes, or needs for an exec that runs. */
export function inUse(catalogue: Catalogue, entries: readonly Entry[]): (file: StoredFile) => boolean {
  const running = entries.filter(
    ({ exit, start }) => exit === null && start !== null && catalogue.isWriterAlive(start.segment),
  );
  const spills = new Set(running.map(({ execId }) => execId));
  const segments = new Map(catalogue.segments().map((segment) => [segment.name, segment]));
  return ({ name }) => {
    const segment = segments.get(name);
    if (segment === undefined) return spills.has(name.replace(/\.(?:stdout|stderr)$/, ''));
    if (catalogue.after(segment) === null && catalogue.isWriterAlive(segment)) return true;
    return running.some(({ start }) => start?.segment.writer === segment.writer && start.segment.n <= segment.n);
  };
}
