import { expect, it } from 'vitest';
import { membersOf } from './architecture/members.ts';

const root = new URL('..', import.meta.url).pathname;
const entries = ['src/index.ts', 'src/backend.ts', 'src/client/index.ts', 'src/network/net.ts'];

it('describes every member of the types that the package exports', () => {
  const { count, undescribed } = membersOf(root, entries);
  expect(undescribed).toEqual([]);
  expect(count).toBeGreaterThan(900);
});
