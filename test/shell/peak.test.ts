import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('a process of Caisson that has read many commands took no memory to compile the grammar again', () => {
  const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const args = ['--import', pathOf('../../bin/process.js'), pathOf('peak.process.ts')];
  const peakMb = Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(peakMb).toBeGreaterThan(30);
  expect(peakMb).toBeLessThan(200);
});
