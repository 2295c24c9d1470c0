/** Who may do what on this machine: the engines need root, by being it or by a sudo that does not ask. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The administrator's directories are often missing from the PATH of a user, and `dockerd` lives there. */
export const systemPath = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;

export function findCommand(name: string): string | null {
  const found = systemPath.split(':').find((directory) => directory !== '' && isExecutable(join(directory, name)));
  return found === undefined ? null : join(found, name);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // The question was whether it can be run.
  }
}

/** Words before a command that make it run as root. `null`: only a person could allow that. */
export async function rootPrefix(): Promise<readonly string[] | null> {
  if (process.getuid?.() === 0) return [];
  try {
    await run('sudo', ['-n', 'true']);
    return ['sudo', '-n'];
  } catch {
    return null; // No sudo, or one that wants a password: the caller tells the person what to run.
  }
}
