import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clearStaged } from '../../../src/http/files/staging.ts';
import { scratch } from '../../store/scratch.ts';

it('uploads of a service that was killed are removed, and those of one that lives stay', async () => {
  await using directory = await scratch();
  const dead = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim();
  const names = [`upload-${dead}-0a`, `upload-${process.pid}-0b`, 'upload-0c'];
  for (const name of names) writeFileSync(join(directory.path, name), 'x');
  await clearStaged(directory.path);
  expect(readdirSync(directory.path)).toEqual([`upload-${process.pid}-0b`]);
  await clearStaged(join(directory.path, 'absent'));
});
