import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lookInside } from '../../../src/files/sync/inside.ts';
import { processSandbox } from '../process-sandbox.ts';

it('leaves out files whose names cannot be asked for, says so, and finds all others', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'caisson-sync-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const name of ['plain', 'ü mläut', "it's $(x)", 'a\nb', 'back\\slash'].map((text) => Buffer.from(text)))
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), name]), 'x');
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/bad`), Buffer.from([0xff])]), 'x');
  const { files, odd } = await lookInside(processSandbox(), dir, {});
  expect([...files.keys()].map((name) => Buffer.from(name, 'latin1').toString()).toSorted()).toEqual([
    "it's $(x)",
    'plain',
    'ü mläut',
  ]);
  expect(odd.toSorted()).toEqual(['a\nb', 'back\\slash', 'bad\xff']);
});
