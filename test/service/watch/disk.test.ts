/** How much the directory of a task holds, which its sandbox can write. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DiskUse } from '../../../src/service/watch/disk.ts';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'caisson-disk-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

it('is the space of all files below it, without what links lead to', async () => {
  const [path, elsewhere] = [directory(), directory()];
  writeFileSync(join(elsewhere, 'large'), Buffer.alloc(4 * 1024 ** 2, 1));
  mkdirSync(join(path, 'deep', 'er'), { recursive: true });
  writeFileSync(join(path, 'deep', 'er', 'file'), Buffer.alloc(1024 ** 2, 1));
  symlinkSync(elsewhere, join(path, 'link'));
  symlinkSync('.', join(path, 'deep', 'self'));
  const bytes = await new DiskUse().of(path);
  expect(bytes).toBeGreaterThanOrEqual(1024 ** 2);
  expect(bytes).toBeLessThan(2 * 1024 ** 2);
});

it('is not known of a directory that is gone, of none, and of more files than are counted', async () => {
  const path = directory();
  for (let n = 0; n < 20_001; n += 1) writeFileSync(join(path, String(n)), '');
  const use = new DiskUse();
  expect([await use.of(path), await use.of(null), await use.of(join(path, 'absent'))]).toEqual([null, null, null]);
});
