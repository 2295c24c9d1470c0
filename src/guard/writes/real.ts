/**
 * A path on this host with its links followed, as far as it exists. At once, so that commands that are asked about are
 * asked about in the order in which they came.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export function realPath(path: string): string {
  const wanted = resolve(path);
  try {
    return realpathSync(wanted);
  } catch {
    // Not there, or not to be looked at: then its directory decides.
    const above = dirname(wanted);
    return above === wanted ? wanted : join(realPath(above), basename(wanted));
  }
}
