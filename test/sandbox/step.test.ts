import { describe, expect, it } from 'vitest';
import { CaissonError } from '../../src/errors.ts';
import { nextStep } from '../../src/sandbox/step.ts';
import { row, spec } from './rows.ts';

const ask = {
  taskId: 'demo',
  spec,
  configured: spec,
  fingerprint: 'f'.repeat(32),
  recreate: false,
  existing: false,
  bound: null,
};

describe('what a request means for the sandbox of its task', () => {
  it.each([
    [null, ask, 'create'],
    [row(), ask, 'use'],
    [row({ state: 'stopped' }), ask, 'use'],
    [row({ fingerprint: '0'.repeat(32) }), { ...ask, spec: { ...spec, cwd: '/elsewhere' } }, 'use'],
    [row({ state: 'creating' }), ask, 'finish'],
    [row({ state: 'destroying' }), ask, 'finish'],
    [row(), { ...ask, recreate: true }, 'replace'],
    [row({ fingerprint: '0'.repeat(32) }), { ...ask, recreate: true }, 'replace'],
    [row({ state: 'creating', fingerprint: '0'.repeat(32) }), ask, 'finish'],
  ] as const)('case %#', (current, wanted, step) => {
    expect(nextStep(current, wanted)).toBe(step);
  });

  it.each(['ready', 'stopped', 'creating', 'destroying'] as const)(
    'is not there for a token that is bound to a label which it has not, though it is %s',
    (state) => {
      const bound = { key: 'team', value: 'a' };
      for (const recreate of [false, true])
        for (const labels of [{}, { team: 'b' }, { other: 'a' }]) {
          const error = thrownError(() => nextStep(row({ state, labels }), { ...ask, recreate, bound }));
          expect(error.code).toBe('not_found');
        }
      expect(nextStep(row({ labels: { team: 'a', more: '1' } }), { ...ask, bound })).toBe('use');
      expect(nextStep(null, { ...ask, bound })).toBe('create');
    },
  );

  it('names the differing keys with both values in a conflict', () => {
    const other = { ...spec, image: 'alpine:3', limits: { ...spec.limits, memoryBytes: 1 } };
    const error = thrownError(() => nextStep(row({ fingerprint: '0'.repeat(32) }), { ...ask, spec: other }));
    expect(error.code).toBe('conflict');
    expect(error.details).toMatchObject({ differing: expect.arrayContaining(['image', 'limits.memoryBytes']) });
    expect(error.message).toContain('image (has "busybox:latest", asked "alpine:3")');
    expect(error.message).toContain('limits.memoryBytes (has 67108864, asked 1)');
  });
});

function thrownError(work: () => unknown): CaissonError {
  try {
    work();
  } catch (error) {
    if (error instanceof CaissonError) return error;
  }
  throw new Error('expected a CaissonError');
}
