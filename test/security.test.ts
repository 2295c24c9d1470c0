/** docs/security-model.md and SECURITY.md name the test that shows each row of their tables. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const text = readFileSync(new URL('docs/security-model.md', root), 'utf8');
const rows = text.split('\n').filter((line) => /^\| .* \|$/.test(line) && line.split('|').length === 8);

/** Names of tests that are not there. */
function missingIn(names: readonly string[]): readonly string[] {
  return names.filter((name) => ![`${name}.test.ts`, name].some((each) => existsSync(new URL(`test/${each}`, root))));
}

const namesIn = (cell: string): readonly string[] =>
  Array.from(cell.matchAll(/`([\w-]+(?:\/[\w-]+)+)`/g), ([, name = '']) => name);

it('each row of the table of boundaries names a test that is there, or is declared', () => {
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows.slice(1)) {
    const shown = row.split('|').at(-2) ?? '';
    const tests = Array.from(shown.matchAll(/`([\w/-]+)`/g), ([, name = '']) => name);
    const missing = missingIn(tests);
    expect([row, missing, tests.length > 0 || shown.includes('declared')]).toEqual([row, [], true]);
  }
});

it('each incident of others names tests that are there, or a reason', () => {
  const page = readFileSync(new URL('SECURITY.md', root), 'utf8');
  const [, table = ''] = page.split('## Incidents of others');
  const incidents = table.split('\n').filter((line) => /^\| .* \|$/.test(line));
  expect(incidents.slice(1)).toHaveLength(29);
  for (const row of incidents.slice(1)) {
    const here = row.split('|').at(-2) ?? '';
    const isReason = /^ (?:no |declared)/.test(here);
    expect([row, missingIn(namesIn(here)), namesIn(here).length > 0 || isReason]).toEqual([row, [], true]);
  }
});
