/** Which text of the configuration file a configuration was read from: processes that read it at different times compare it. */
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitBytes } from './limits.ts';

/** Mark of a text: its SHA-256. An absent file, `null`, has that of an empty text. */
export const sourceOf = (text: string | null): string => hash('sha256', text ?? '');

/** Mark of the file as it is now. `null`: it cannot be read, or is too large. */
export function sourceNow(home: string): string | null {
  try {
    return sourceOf(textOf(join(home, 'config.yaml')));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? sourceOf(null) : null;
  }
}

function textOf(path: string): string {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(fd);
    if (!found.isFile() || found.size > limitBytes) throw new Error('not a configuration file');
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
