/** Directories of what the test engines keep beyond a run: archives of images, and the data roots that hold them. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function engineCache(): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(base, 'caisson', 'engines');
}

/** CI sets it: an engine that cannot be had is then a failure instead of a skip. */
export function enginesRequired(): boolean {
  return process.env['CAISSON_REQUIRE_ENGINES'] === '1';
}
