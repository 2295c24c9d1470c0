/** Which state directory a process works on. Apart from its checks, since every command asks for it first. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** `HERMES_HOME` is an alias. An empty variable counts as unset, as composed environments leave them behind. */
export function findHome(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const userHome = env['HOME'] || homedir();
  const named = env['CAISSON_HOME'] || env['HERMES_HOME'];
  if (!named) return `${userHome}/.caisson`;
  if (/^\/(?!.*\/\.{0,2}(?:\/|$))[^/]/.test(named)) return named; // as `resolve` gives it, which is slow when it is new
  return resolve(
    cwd,
    named.replace(/^~(?=\/|$)/, () => userHome),
  );
}
