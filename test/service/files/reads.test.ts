import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operator } from '../../../src/values/caller.ts';
import { openedWith, task } from './opened.ts';

const bytes = 2 * 1024 ** 2;
const config = `server:\n  limits:\n    file_bytes: { total: ${bytes}, per_owner: ${bytes} }\n`;

async function opened() {
  const { caisson, files, dir } = await openedWith(config);
  const path = join(dir, 'file');
  writeFileSync(path, 'abc');
  const figures = async () => (await caisson.installation.budgets()).find(({ name }) => name === 'file_bytes');
  return { files, path, figures, budget: caisson.installation.budget('file_bytes') };
}

it('a read waits until its bytes may be held, whatever front end asks for it', async () => {
  const { files, path, figures, budget } = await opened();
  const share = budget.take(operator, bytes);
  const read = files.read({ task, path });
  await expect.poll(figures).toMatchObject({ used: bytes, waiting: 1 });
  share.free();
  expect((await read).bytes.toString()).toBe('abc');
  expect(await figures()).toMatchObject({ used: 0, waiting: 0 });
});

it('a read of more than its owner may hold is refused, and one of less is served', async () => {
  const { files, path } = await opened();
  await expect(files.read({ task, path, length: bytes + 1 })).rejects.toMatchObject({
    code: 'resource_exhausted',
    details: { budget: 'file_bytes', owner: operator, wanted: bytes + 1 },
  });
  expect((await files.read({ task, path, length: bytes })).bytes.toString()).toBe('abc');
});
