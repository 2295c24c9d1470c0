import { expect, test } from 'vitest';
import { type CaseMeta, summarize } from './results.ts';

function assertion(status: string, conformance: Partial<CaseMeta> | undefined): unknown {
  return {
    status,
    title: 'x',
    meta: conformance === undefined ? {} : { conformance: { backend: 'one', id: 'a.b', kind: 'case', ...conformance } },
  };
}

test('counts cases by backend, with what is absent, deviates and failed', () => {
  const report = {
    testResults: [
      {
        assertionResults: [
          assertion('passed', {}),
          assertion('failed', { id: 'a.c' }),
          assertion('passed', { id: 'a.d', kind: 'absent' }),
        ],
      },
      {
        assertionResults: [
          assertion('passed', { backend: 'two', id: 'a.e', kind: 'deviation', reason: 'because' }),
          assertion('passed', undefined),
        ],
      },
      {
        assertionResults: [
          assertion('skipped', { backend: 'three', id: 'suite', kind: 'not-run', reason: 'no engine' }),
        ],
      },
    ],
  };
  const none = { absent: [], deviations: [], failed: [], notRun: null };
  expect(summarize(report)).toEqual([
    { ...none, backend: 'one', cases: 3, passed: 2, absent: ['a.d'], failed: ['a.c'] },
    { ...none, backend: 'two', cases: 1, passed: 1, deviations: [{ id: 'a.e', reason: 'because' }] },
    { ...none, backend: 'three', cases: 0, passed: 0, notRun: 'no engine' },
  ]);
});

test('reads nothing from what is no report', () => {
  for (const report of [
    null,
    [],
    'x',
    {},
    { testResults: [{ assertionResults: [{ meta: { conformance: { backend: 1 } } }] }] },
  ]) {
    expect(summarize(report)).toEqual([]);
  }
});
