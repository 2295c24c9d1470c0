/**
 * Which directory a state directory is. A copy of one has the same instance, by which engines are asked, and not the
 * sandboxes that the other has made since: to it they look like leftovers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CaissonError } from '../../errors.ts';
import { directoryOf } from '../../lib/service-record.ts';

const fileName = 'directory-id';

/** Writes the identity to a file, unless the file exists. A full disk leaves the directory without one. */
export function markHome(home: string): void {
  try {
    writeFileSync(join(home, fileName), identityOf(home), { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there, or the next start writes it.
  }
}

/** Throws `failed_precondition` in a copy. */
export function refuseCopy(home: string): void {
  const file = join(home, fileName);
  if (kept(file) === null || kept(file) === identityOf(home)) return;
  throw new CaissonError('failed_precondition', `${home} is a copy of another state directory, or has been restored`, {
    remedy: `use the other one; if it is gone for good, remove ${file} and try again`,
  });
}

const identityOf = (home: string): string => `${directoryOf(home)}\n`;

function kept(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
