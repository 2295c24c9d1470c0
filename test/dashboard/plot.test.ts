import { expect, it } from 'vitest';
import { askOf, endOf, filtersOf } from '../../dashboard/src/pages/history/filters.ts';
import { dayPoints, recentPoints } from '../../dashboard/src/plot/points.ts';
import { latest, pathOf, upperEdge } from '../../dashboard/src/plot/shape.ts';
import { filled, textsOf } from '../../dashboard/src/text/filters.ts';
import { coresText, percentText } from '../../dashboard/src/text/units.ts';

const frame = { fromMs: 0, toMs: 600_000, max: 10, width: 600, height: 100 };

it('a line goes up where values do, and what is not known, or a silence, interrupts it', () => {
  const at = (seconds: number, value: number | null) => ({ atMs: seconds * 1000, value });
  expect(pathOf([at(0, 0), at(10, 5), at(20, null), at(30, 10)], frame)).toBe('M0 100L10 50L30 0');
  expect(pathOf([at(0, 0), at(200, 20)], frame)).toBe('M0 100M200 0');
  expect(pathOf([at(-10, 1), at(700, 1)], frame)).toBe('');
});

it.each([
  [[], 0.1, 0.1],
  [[0.15], 0.1, 0.2],
  [[3, 41], 1, 50],
  [[7e6], 1, 1e7],
] as const)('the upper edge of %j is round, above all of them and at least %d: %d', (values, least, edge) => {
  const points = values.map((value, at) => ({ atMs: at, value }));
  expect(upperEdge(points, least)).toBeCloseTo(edge, 10);
});

it('the last value that is known is shown', () => {
  expect(
    latest([
      { atMs: 0, value: 3 },
      { atMs: 1, value: null },
    ]),
  ).toBe(3);
  expect(latest([])).toBeNull();
  expect([percentText(0.0312), coresText(0.5), coresText(2.345)]).toEqual(['3.1 %', '50 % of a core', '2.35 cores']);
});

it('points are of one figure; those of a day are the highest of each minute', () => {
  const figures = { cpuCores: 1, memoryBytes: 2, pids: null, receivedPerSecond: 4, sentPerSecond: 5 };
  const at = '1970-01-01T00:01:00Z';
  expect(recentPoints({ recent: [{ at, ...figures }] }, 'memoryBytes')).toEqual([{ atMs: 60_000, value: 2 }]);
  const minutes = [{ at, mean: figures, max: { ...figures, cpuCores: 4 } }];
  expect(dayPoints({ minutes }, 'cpuCores')).toEqual([{ atMs: 60_000, value: 4 }]);
});

const act = (more: object) =>
  Object({
    kind: 'exec',
    execId: 'exec_1',
    taskId: 'build',
    command: ['echo', 'a\u202eb'],
    startedAt: '2026-01-01T00:00:10Z',
    outcome: 'done',
    reason: 'exited',
    exitCode: 0,
    signal: null,
    rule: null,
    durationMs: 1000,
    ...more,
  });

it('a filter that the address does not have is empty, whatever objects inherit, and what is empty is left out', () => {
  expect(textsOf({ task: 'build', other: 'x' }, ['task', 'owner', 'constructor'])).toEqual({
    task: 'build',
    owner: '',
    constructor: '',
  });
  expect(filled({ task: 'build', owner: '' })).toEqual({ task: 'build' });
});

it('filters of the history are asked for as the service takes them, and what is empty is left out', () => {
  expect(askOf(filtersOf({}))).toEqual({});
  expect(askOf(filtersOf({ task: 'build', outcome: 'denied', since: '2026-01-01T00:00:00Z', until: 'x' }))).toEqual({
    task: 'build',
    outcomes: ['denied'],
    since: '2026-01-01T00:00:00.000Z',
  });
  expect(askOf(filtersOf({ outcome: 'anything' }))).toEqual({});
});

it.each([
  [{}, 'exit 0'],
  [{ outcome: 'denied', rule: 'rm *' }, 'denied: rm *'],
  [{ outcome: 'denied' }, 'denied'],
  [{ outcome: 'lost', reason: 'lost', exitCode: null }, 'lost'],
  [{ outcome: 'failed', reason: 'signaled', exitCode: 137, signal: 'SIGKILL' }, 'signaled SIGKILL'],
  [{ outcome: 'done', kind: 'copy', reason: null, exitCode: null }, 'done'],
])('an end %j is said as %s', (more, text) => expect(endOf(act(more))).toBe(text));
