import { expect, it } from 'vitest';
import { testFiles } from './projects.ts';
import { inTurn } from './turns.ts';
import { fileURLToPath } from 'node:url';

it('every long file has its turn in one of three seeds, and what must not wait has it in each', async () => {
  const { e2e } = await testFiles(fileURLToPath(new URL('../', import.meta.url)));
  const turns = [1, 2, 3].map((seed) => inTurn(e2e, seed));
  expect([...new Set(turns.flat())].toSorted()).toEqual(e2e.toSorted());
  expect(turns.map(({ length }) => length < e2e.length)).toEqual([true, true, true]);
  const always = ['test/e2e/kubernetes.test.ts', 'test/e2e/egress-escapes.test.ts', 'test/e2e/secrets.test.ts'];
  for (const turn of turns) expect(turn).toEqual(expect.arrayContaining(always));
  expect(inTurn(e2e, undefined)).toEqual(e2e);
});
