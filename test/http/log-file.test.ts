import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLogFile } from '../../src/http/home/log-file.ts';

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-log-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'service.log');
}

it('the log of a service is for this user alone, and goes on where the last one ended', () => {
  const path = scratch();
  writeFileSync(path, 'before\n', { mode: 0o644 });
  const log = openLogFile(path);
  log.write('now\n');
  log.close();
  expect(readFileSync(path, 'utf8')).toBe('before\nnow\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('the log of a service is bounded: the file before is kept, and others that append go on in the new one', () => {
  const path = scratch();
  const log = openLogFile(path, 100);
  for (let line = 0; line < 1000; line++) log.write(`line ${line}\n`);
  appendFileSync(path, 'a warning of the runtime\n');
  log.close();
  const [last, before] = [readFileSync(path, 'utf8'), readFileSync(`${path}.1`, 'utf8')];
  expect(last).toContain('line 999\na warning of the runtime\n');
  expect(before.trim().split('\n').at(-1)).toBe(`line ${Number(/^line (\d+)/.exec(last)?.[1]) - 1}`);
  expect(Buffer.byteLength(last) + Buffer.byteLength(before)).toBeLessThan(300);
  expect(statSync(`${path}.1`).mode & 0o777).toBe(0o600);
});
