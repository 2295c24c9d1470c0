/** What two records of runs tell side by side, and by which title a file keeps its duration. */
import { describe, expect, it } from 'vitest';
import { compareTimes, missingCases } from '../../scripts/times/compare.ts';
import type { RunRecord } from '../../scripts/times/record.ts';
import type { CaseTime } from '../reporters/times.ts';
import { titleOf } from '../titles.ts';

const record = (durationMs: number, files: Readonly<Record<string, number>>): RunRecord => ({
  commit: 'abc',
  processors: [],
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs,
  steps: [{ name: 'unit tests', durationMs, passed: 1, failed: 0, skipped: 0 }],
  files: Object.entries(files).map(([file, ms]) => ({ file, durationMs: ms })),
  cases: [],
});

const cases = (...names: readonly string[]): readonly CaseTime[] =>
  names.map((name) => ({ project: 'unit', file: 'a.test.ts', name, state: 'passed', durationMs: 1 }));

describe('compareTimes', () => {
  it('sets steps and files side by side, with their ratios', () => {
    const lines = compareTimes(record(20_000, { 'a.test.ts': 10_000, 'b.test.ts': 5_000 }), record(10_000, {}));
    expect(lines).toEqual([
      '    20.0     10.0   0.50  whole run',
      '    20.0     10.0   0.50  unit tests',
      '    10.0        -         a.test.ts',
      '     5.0        -         b.test.ts',
    ]);
  });
});

describe('missingCases', () => {
  it('misses nothing of a case that moved to another file, or whose suite was split by backend', () => {
    const before = cases('a > one', 'a process that is killed on ssh > dies');
    expect(missingCases(before, cases('a process that is killed on modal > dies', 'a > one'))).toEqual([]);
  });

  it('names a case that is gone, also when the same case is left on another backend', () => {
    const before = cases('API, on docker > run.short', 'API, on local > run.short', 'b > two');
    const after = cases('API, on local > run.short');
    expect(missingCases(before, after)).toEqual(['API, on docker > run.short', 'b > two']);
  });

  it('takes a case for the same whose title names another count, key or checkout', () => {
    const before = cases('stops for 10 seconds', `key ${'a'.repeat(50)}`, 'runs on /a/one/bin/node');
    const after = cases('stops for 3 seconds', `key ${'b'.repeat(50)}`, 'runs on /b/two/bin/node');
    expect(missingCases(before, after)).toEqual([]);
  });

  it('counts cases of one title', () => {
    expect(missingCases(cases('a > one', 'a > one'), cases('a > one'))).toEqual(['a > one']);
  });
});

describe('titleOf', () => {
  it.each([
    ["describe('a thing', () => {});", 'a thing'],
    ['it("isn\'t there", () => {});', "isn't there"],
    ["it.skipIf(no).each([1, 2])('%s', () => {});\ntest('later', f);", 'later'],
    ["apiSuite({\n  name: 'embedded on local',\n", 'embedded on local'],
    ["await testBackend(\n  {\n    name: 'docker',\n", 'docker'],
    ['describe.each(places)(`on ${place}`, () => {});', 'e2e/some.test.ts'],
  ])('reads %j', (text, title) => {
    expect(titleOf('/x/test/e2e/some.test.ts', text)).toBe(title);
  });
});
