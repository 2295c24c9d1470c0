import type { OpenOptions } from '../../src/backend.ts';
import { isStandardVariable } from '../../src/values/standard-variables.ts';

/** What a command inherits of the service's own environment: who and where, or what core gives instead. */

const names = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'TMPDIR', 'TZ']);
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Carried by every process of a sandbox, so that all of them can be found again, wherever they re-parented. */
export const markName = 'CAISSON_SANDBOX';

export function baseEnvironment({
  env,
  settings = {},
}: Pick<OpenOptions, 'env' | 'settings'>): Readonly<Record<string, string>> {
  const { environment } = settings;
  if (isValues(environment)) return { PATH: defaultPath, ...environment };
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isInherited(name) ? [[name, value] as const] : [],
  );
  return { PATH: defaultPath, ...Object.fromEntries(kept) };
}

/** Core has filtered what it gives here. */
function isValues(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}

function isInherited(name: string): boolean {
  return names.has(name) || isStandardVariable(name);
}
