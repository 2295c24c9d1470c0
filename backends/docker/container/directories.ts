/** The directories of this host that a container shows. */
import { chmod, mkdir } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Mount } from '../../../src/backend.ts';
import { makeWay } from '../../shared/way.ts';
import { taskMounts } from './host-config.ts';

export async function makeDirectories(directory: string, credentials: Mount | null): Promise<void> {
  for (const { source, target } of taskMounts(directory)) {
    await mkdir(source, { recursive: true, mode: 0o700 });
    await chmod(source, 0o700);
    if (credentials !== null && credentials.target.startsWith(`${target}/`))
      await makeWay(source, relative(target, credentials.target));
  }
}
