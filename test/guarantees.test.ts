import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { backends } from '../backends/index.ts';
import { page, pageOf, promisesOf } from '../scripts/guarantees.ts';

const written = readFileSync(new URL('../docs/guarantees.md', import.meta.url), 'utf8');

it('the page of guarantees is what the backends promise (node scripts/guarantees.ts writes it)', async () => {
  expect(await page()).toBe(written);
});

it('has a column for each kind of place of a backend, and names those of which nothing is known', async () => {
  const promised = await promisesOf(Object.keys(backends));
  for (const { backend, place } of promised) expect(written).toContain(`| ${backend}: ${place} |`);
  expect(promised.map(({ backend }) => backend)).toEqual(expect.arrayContaining(['docker', 'local', 'ssh']));
  expect(pageOf(promised, ['elsewhere'])).toContain('Nothing is said ahead of: elsewhere.');
});

it('changes with a promise', async () => {
  const promised = await promisesOf(['local']);
  const less = promised.map((each) => ({ ...each, guarantees: { ...each.guarantees, network: [] } }));
  expect(pageOf(less, [])).not.toBe(pageOf(promised, []));
});
