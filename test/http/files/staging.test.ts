import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { Budgets } from '../../../src/budget/budgets.ts';
import { clearStaged, stage } from '../../../src/http/files/staging.ts';
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

it('an upload that comes too slowly ends, though a byte comes now and then', async () => {
  await using directory = await scratch();
  const body = new PassThrough();
  const drip = setInterval(() => body.write('x'), 10);
  onTestFinished(() => clearInterval(drip));
  const share = new Budgets(() => ({})).of('staged_bytes').take('mallory', 0);
  const staging = stage(body, {
    directory: directory.path,
    length: null,
    digest: null,
    share,
    signal: new AbortController().signal,
    slowest: { everyMs: 200, leastBytes: 1024 },
  });
  await expect(staging).rejects.toMatchObject({ status: 408 });
  expect(readdirSync(directory.path)).toEqual([]);
});
