import { readdir } from 'node:fs/promises';

/** Names in a directory. Empty where there is no such directory. */
export async function entries(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
