/** Which state directory a process works on. Apart from its checks, since every command asks for it first. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** `HERMES_HOME` is an alias. An empty variable counts as unset, as composed environments leave them behind. */
export function findHome(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const userHome = env['HOME'] || homedir();
  const named = env['CAISSON_HOME'] || env['HERMES_HOME'];
  if (!named) return join(userHome, '.caisson');
  return resolve(
    cwd,
    named.replace(/^~(?=\/|$)/, () => userHome),
  );
}
