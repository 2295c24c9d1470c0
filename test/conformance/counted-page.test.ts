import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backends } from '../../backends/index.ts';
import { withCounts } from './counted-page.ts';
import type { Row } from './results.ts';

const row = (backend: string, more: Partial<Row> = {}): Row => ({
  backend,
  cases: 12,
  passed: 12,
  absent: ['a'],
  deviations: [],
  failed: [],
  notRun: null,
  ...more,
});

const text = (one: string, two = '| two | 3 | 0 | 0 |'): string =>
  `| one | 9 | 9 | 9 |\n<!-- conformance -->\n| backend | cases | absent | deviations |\n|---|---|---|---|\n${one}\n${two}\n<!-- /conformance -->\nmore\n`;

test('the table gets the counts of the backends that ran, and nothing else changes', () => {
  const before = text('| one | 1 | 0 | 0 |');
  expect(withCounts(before, [row('one')])).toBe(text('| one | 12 | 1 | 0 |'));
  expect(withCounts(before, [row('two', { notRun: 'no engine' }), row('three')])).toBe(before);
  expect(withCounts(before, [row('two', { cases: 4, deviations: [{ id: 'x', reason: 'y' }] })])).toBe(
    text('| one | 1 | 0 | 0 |', '| two | 4 | 1 | 1 |'),
  );
  expect(() => withCounts('no table', [])).toThrow(/no table/);
});

test('docs/conformance.md has a line for every backend', () => {
  const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
  const present = Object.entries(backends).filter(([, { load }]) => load !== null);
  const rows = present.map(([name]) => row(name, { cases: 987_654 }));
  const counted = withCounts(page, rows);
  for (const { backend } of rows) expect(counted).toContain(`| ${backend} | 987654 | 1 | 0 |`);
});

test('README.md has the count of the cases on a cluster', () => {
  const of = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  const [, cases] = /^\| kubernetes \| (\d+) \|/m.exec(of('docs/conformance.md')) ?? [];
  expect(of('README.md')).toContain(`Kubernetes 1.20, ${cases} cases |`);
});
