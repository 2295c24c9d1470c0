/** The operator's file, as it is written. */
import { join } from 'node:path';
import { readOwnFile } from './home.ts';
import { limitBytes } from './limits.ts';

export const configFile = (home: string): string => join(home, 'config.yaml');

/** `null`: the file is absent. Throws `failed_precondition` for one that other users could write, or that cannot be read. */
export async function readConfigText(home: string): Promise<string | null> {
  return await readOwnFile(configFile(home), { forbidden: 0o022, limitBytes });
}
