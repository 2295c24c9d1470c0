/** What a browser has to load, and what the package carries. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const built = new URL('../../../dashboard/dist/', import.meta.url).pathname;
const names = readdirSync(join(built, 'assets'));
const page = readFileSync(join(built, 'index.html'));
const bytesOf = (name: string): Buffer => readFileSync(join(built, 'assets', name));
const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

it('a first view is at most 90 kB by gzip, with its page, scripts and styles', () => {
  const first = names.filter((name) => page.includes(name));
  expect(new Set(first.map((name) => name.split('.').at(-1)))).toEqual(new Set(['css', 'js']));
  const bytes = sum([page, ...first.map(bytesOf)].map((each) => gzipSync(each).length));
  expect(bytes).toBeLessThanOrEqual(90_000);
});

it('all of it is at most 0.7 MB, without source maps, and the terminal loads when it is opened', () => {
  expect(page.length + sum(names.map((name) => bytesOf(name).length))).toBeLessThanOrEqual(700_000);
  const everything = names.filter((name) => name.endsWith('.map') || bytesOf(name).includes('sourceMappingURL'));
  expect(everything).toEqual([]);
  const terminals = names.filter((name) => bytesOf(name).includes('xterm-helper-textarea'));
  expect(terminals.length).toBeGreaterThan(0);
  expect(terminals.filter((name) => page.includes(name))).toEqual([]);
});
