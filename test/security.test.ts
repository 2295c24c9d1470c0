/** docs/security-model.md names the test that shows each row of its table. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const text = readFileSync(new URL('docs/security-model.md', root), 'utf8');
const rows = text.split('\n').filter((line) => /^\| .* \|$/.test(line) && line.split('|').length === 8);

it('each row of the table of boundaries names a test that is there, or is declared', () => {
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows.slice(1)) {
    const shown = row.split('|').at(-2) ?? '';
    const tests = Array.from(shown.matchAll(/`([\w/-]+)`/g), ([, name = '']) => name);
    const missing = tests.filter(
      (name) => ![`${name}.test.ts`, name].some((each) => existsSync(new URL(`test/${each}`, root))),
    );
    expect([row, missing, tests.length > 0 || shown.includes('declared')]).toEqual([row, [], true]);
  }
});
