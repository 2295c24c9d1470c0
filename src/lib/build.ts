/** Which build of Caisson this is: the bundler puts the names in. */
import { readFileSync } from 'node:fs';

declare const CAISSON_BUILD: string;
declare const CAISSON_VERSION: string;

/** Another one for every change of the code; `null` in a checkout, where files change under a running version. */
export const build: string | null = typeof CAISSON_BUILD === 'string' ? CAISSON_BUILD : null;

export function version(): string {
  if (typeof CAISSON_VERSION === 'string') return CAISSON_VERSION;
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(Reflect.get(Object(manifest), 'version'));
}
