/** The directories of this host that a container shows. */
import { chmod, mkdir } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Mount } from '../../../src/backend.ts';
import { makeWay } from '../../shared/way.ts';
import { taskMounts } from './host-config.ts';

/**
 * Inside, every user may enter `/workspace`, as in an ephemeral sandbox, and root alone `/root`. On this host only the owner comes to
 * either: the directory above admits no one else. Rights that a command gave stay.
 */
export async function makeDirectories(directory: string, credentials: Mount | null): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  for (const { source, target } of taskMounts(directory)) {
    const made = await mkdir(source, { recursive: true, mode: 0o700 });
    if (made !== undefined && target === '/workspace') await chmod(source, 0o755);
    if (credentials !== null && credentials.target.startsWith(`${target}/`))
      await makeWay(source, relative(target, credentials.target));
  }
}
