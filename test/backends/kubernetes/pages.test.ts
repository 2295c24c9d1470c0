import { expect, it } from 'vitest';
import type { List, Pod } from '../../../backends/kubernetes/objects.ts';
import { everyPage } from '../../../backends/kubernetes/pages.ts';

const pods = (count: number, first = 0): readonly Pod[] =>
  Array.from({ length: count }, (_, index) => ({ metadata: { name: `p${first + index}` } }));

/** Pages of a list, each of which is behind the mark that the one before has; and the marks that were asked for. */
function listOf(...pages: readonly (readonly Pod[])[]) {
  const asked: string[] = [];
  const page = async (next: string): Promise<List> => {
    asked.push(next);
    const index = Number(next || 0);
    const metadata = {
      resourceVersion: `v${index}`,
      ...(index + 1 < pages.length ? { continue: `${index + 1}` } : {}),
    };
    return await Promise.resolve({ metadata, items: pages[index] ?? [] });
  };
  return { page, asked };
}

it('a list is read to its end, and a watch goes on from its last page', async () => {
  const { page, asked } = listOf(pods(2), pods(2, 2), pods(1, 4));
  expect(await everyPage(page, 10)).toEqual({ items: pods(5), version: 'v2' });
  expect(asked).toEqual(['', '1', '2']);
});

it('a list as long as the limit is whole', async () => {
  expect((await everyPage(listOf(pods(2), pods(2, 2)).page, 4)).items).toHaveLength(4);
});

it.each([
  ['by its first page', [pods(5)], 1],
  ['by a page behind the limit', [pods(2), pods(2, 2), pods(1, 4)], 2],
  ['within a page', [pods(3), pods(3, 3), pods(1, 6)], 2],
] as const)('a list that is longer %s is an error and no part of a list', async (_, pages, reads) => {
  const { page, asked } = listOf(...pages);
  await expect(everyPage(page, 4)).rejects.toMatchObject({
    code: 'resource_exhausted',
    details: { most: 4 },
    remedy: expect.stringContaining('kubernetes_namespace'),
  });
  expect(asked).toHaveLength(reads);
});
