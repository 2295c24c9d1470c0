import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keptIn } from '../../src/lib/kept.ts';

const directory = (): string => join(mkdtempSync(join(tmpdir(), 'caisson-kept-')), 'cache/docker');

test('a value is read back, by another reader too, and only this user may read its file', () => {
  const place = directory();
  expect(keptIn(place).read('engine')).toBe(null);
  keptIn(place).write('engine', { a: [1, null] });
  expect(keptIn(place).read('engine')).toEqual({ a: [1, null] });
  expect(statSync(join(place, 'engine.json')).mode & 0o777).toBe(0o600);
  expect(statSync(place).mode & 0o777).toBe(0o700);
  expect(readdirSync(place)).toEqual(['engine.json']);
});

test('a directory that takes no files costs nothing but the value', () => {
  const place = directory();
  writeFileSync(join(place, '../..', 'cache'), 'a file');
  expect(() => keptIn(place).write('engine', 1)).not.toThrow();
  expect(keptIn(place).read('engine')).toBe(null);
});
