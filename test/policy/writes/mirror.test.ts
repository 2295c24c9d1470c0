/** Trees that can hold nothing protected are not looked at path by path; none of the others may slip through. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leadsToMirror, mirrorInside } from '../../../src/policy/writes/protect.ts';

const parts = ['', 'root', 'home', 'user', '.caisson', '.hermes', 'config.yaml'];
const paths = parts.flatMap((one) => parts.flatMap((two) => parts.map((three) => join('/', one, two, three))));

it('knows every place below which something is protected', () => {
  const isAbove = (place: string): boolean => paths.some((below) => mirrorInside(join(place, below)) !== null);
  const above = paths.filter(isAbove);
  expect(above).toContain('/home/user');
  expect(above.filter((place) => !leadsToMirror(place))).toEqual([]);
});

it.each(['/workspace', '/tmp/root', '/root/src', '/home/user/src', '/rooted', '/'])('tells %s from them', (place) => {
  expect(leadsToMirror(place)).toBe(place === '/');
});
