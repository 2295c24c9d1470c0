import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openedWith, task } from './opened.ts';

const limits = (bytes: number): string =>
  `server:\n  limits:\n    file_bytes: { total: ${bytes}, per_owner: ${bytes} }\n`;
const patch = (path: string) => ({ task, path, edits: [{ find: 'a', replace: 'b'.repeat(1000), all: true }] });

it('patches hold their bytes one after another where not all fit', async () => {
  const { files, dir } = await openedWith(limits(9 * 1024 ** 2));
  const names = Array.from({ length: 6 }, (_, at) => join(dir, `file${at}`));
  for (const name of names) writeFileSync(name, 'a'.repeat(1000));
  await Promise.all(names.map((name) => files.patch(patch(name))));
  for (const name of names) expect(readFileSync(name).length).toBe(1_000_000);
});

it('a patch that may hold more than all may is refused, and changes nothing', async () => {
  const { files, dir } = await openedWith(limits(1024 ** 2));
  const name = join(dir, 'file');
  writeFileSync(name, 'aaa');
  await expect(files.patch(patch(name))).rejects.toMatchObject({ code: 'resource_exhausted' });
  expect(readFileSync(name, 'utf8')).toBe('aaa');
});
