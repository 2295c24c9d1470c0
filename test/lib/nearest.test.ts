import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distance, nearest } from '../../src/lib/nearest.ts';

describe('the nearest known word', () => {
  const known = ['run', 'rm', 'inspect', 'doctor', 'memory', 'allow-degraded', 'timeout', 'docker_image'];
  it.each([
    ['rnu', 'run'],
    ['insepct', 'inspect'],
    ['doctr', 'doctor'],
    ['memroy', 'memory'],
    ['allow', 'allow-degraded'],
    ['timout', 'timeout'],
    ['tiemout', 'timeout'],
    ['TIMEOUT', 'timeout'],
    ['docker_imag', 'docker_image'],
    ['xyz', null],
    ['frobnicate', null],
    ['x'.repeat(1000), null],
  ])('to %s is %s', (word, meant) => {
    expect(nearest(word, known)).toBe(meant);
  });

  it('is measured symmetrically, and nothing lies between equals', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(distance(left, left)).toBe(0);
        expect(distance(left, right)).toBe(distance(right, left));
        expect(distance(left, right)).toBeLessThanOrEqual(Math.max(left.length, right.length));
      }),
    );
  });
});
