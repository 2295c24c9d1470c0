import type { OpenOptions } from '../../src/backend.ts';

/** What a command inherits of the service's own environment: who and where, never keys and tokens. */

const names = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'TMPDIR', 'TZ']);
const prefixes = ['LC_', 'XDG_'];
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Carried by every process of a sandbox, so that all of them can be found again, wherever they re-parented. */
export const markName = 'CAISSON_SANDBOX';

export function baseEnvironment(env: OpenOptions['env']): Readonly<Record<string, string>> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isInherited(name) ? [[name, value] as const] : [],
  );
  return { PATH: defaultPath, ...Object.fromEntries(kept) };
}

function isInherited(name: string): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
