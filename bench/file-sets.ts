/** What is copied: many small files, and one large one. */
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `many/` and `one/` in `host`. */
export async function makeSets(
  host: string,
  { count, megabytes }: { readonly count: number; readonly megabytes: number },
): Promise<void> {
  await mkdir(join(host, 'many'));
  await mkdir(join(host, 'one'));
  const block = Buffer.alloc(4096, 'caisson ');
  for (let index = 0; index < count; index++) await writeFile(join(host, 'many', `file-${index}`), block);
  await using big = await open(join(host, 'one', 'big'), 'w');
  const megabyte = Buffer.alloc(1_000_000, 'caisson ');
  for (let index = 0; index < megabytes; index++) await big.write(megabyte);
}
