import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  arranged,
  columns,
  isByUse,
  lastLineOf,
  mostRows,
  ownerIn,
  type Row,
  rowsOf,
  shownOf,
  windowOf,
} from '../../dashboard/src/pages/sandboxes/rows.ts';

const rowOf = (taskId: string, more: object = {}): Row =>
  Object({
    sandbox: {
      id: `sbx_${taskId}`,
      taskId,
      backend: 'docker',
      state: 'ready',
      labels: {},
      expiresAt: null,
      spec: { image: 'busybox' },
      createdAt: '2026-01-01T00:00:00Z',
      usedAt: '2026-01-01T00:00:00Z',
      ...more,
    },
    last: null,
    denials: 0,
    use: null,
  });

const names = (rows: readonly Row[]): readonly string[] => rows.map(({ sandbox }) => sandbox.taskId);

it('words of the filter are all found, in any column, whatever their case', () => {
  const rows = [rowOf('build', { labels: { team: 'Blue' } }), rowOf('web')];
  expect(names(arranged(rows, shownOf({ text: 'BLUE buil' })))).toEqual(['build']);
  expect(names(arranged(rows, shownOf({ text: 'blue web' })))).toEqual([]);
  expect(names(arranged(rows, shownOf({ state: 'stopped' })))).toEqual([]);
});

it('the youngest stands first, and what ends first stands first', () => {
  const rows = [
    rowOf('old', { createdAt: '2026-01-01T00:00:00Z', expiresAt: '2026-01-03T00:00:00Z' }),
    rowOf('new', { createdAt: '2026-01-02T00:00:00Z' }),
    rowOf('soon', { createdAt: '2026-01-01T12:00:00Z', expiresAt: '2026-01-02T12:00:00Z' }),
  ];
  expect(names(arranged(rows, shownOf({})))).toEqual(['new', 'soon', 'old']);
  expect(names(arranged(rows, shownOf({ sort: 'ends' })))).toEqual(['soon', 'old', 'new']);
  expect(names(arranged(rows, shownOf({ sort: 'ends', order: 'down' })))).toEqual(['new', 'old', 'soon']);
});

it('what was used last stands first, and what uses most, before what tells nothing', () => {
  const use = (cpuCores: number | null, memoryBytes: number) => ({ cpuCores, stats: { memoryBytes } });
  const rows = [
    { ...rowOf('idle'), use: Object(use(0, 9)) },
    { ...rowOf('busy', { usedAt: '2026-01-02T00:00:00Z' }), use: Object(use(2, 3)) },
    { ...rowOf('new', { usedAt: '2026-01-01T12:00:00Z' }), use: Object(use(null, 5)) },
    rowOf('stopped', { usedAt: '2025-01-01T00:00:00Z' }),
  ];
  expect(names(arranged(rows, shownOf({ sort: 'used' })))).toEqual(['busy', 'new', 'idle', 'stopped']);
  expect(names(arranged(rows, shownOf({ sort: 'cpu' })))).toEqual(['busy', 'idle', 'new', 'stopped']);
  expect(names(arranged(rows, shownOf({ sort: 'memory' })))).toEqual(['idle', 'new', 'busy', 'stopped']);
  expect(columns.filter((sort) => isByUse({ sort }))).toEqual(['cpu', 'memory']);
});

it.each(columns)(
  'sorted by %s, the order down is the order up turned, where keys differ, and rows with equal keys keep theirs',
  (sort) => {
    const rows = ['a', 'b', 'c'].map((name) => rowOf(name));
    const up = names(arranged(rows, shownOf({ sort })));
    const down = names(arranged(rows, shownOf({ sort, order: 'down' })));
    expect(down).toEqual(sort === 'task' ? up.toReversed() : up);
  },
);

it('the operator sees whose a task of another owner is', () => {
  expect(['alice.build', 'build', 'a-1.b', 'A.b'].map(ownerIn)).toEqual(['alice', null, 'a-1', null]);
});

it('an unknown column or order of an address is the usual one', () => {
  expect(shownOf({ sort: '__proto__', order: 'x' })).toEqual({ text: '', state: '', sort: 'age', isDown: false });
});

it('the newest exec of a sandbox is its last one', () => {
  const exec = (id: string, sandboxId: string) => Object({ id, where: { sandboxId }, command: [], startedAt: '' });
  const parts = {
    sandboxes: [rowOf('a').sandbox, rowOf('b').sandbox],
    execs: [exec('exec_2', 'sbx_a'), exec('exec_1', 'sbx_a')],
    uses: [Object({ sandboxId: 'sbx_b', cpuCores: 1 })],
  };
  const rows = rowsOf(parts, (task) => (task === 'b' ? 3 : 0));
  expect(rows.map(({ last, denials, use }) => [last?.id ?? null, denials, use?.cpuCores ?? null])).toEqual([
    ['exec_2', 0, null],
    [null, 3, 1],
  ]);
});

it('a window has at most forty rows, all that are seen, and none that are not there', () => {
  const rowHeight = 32;
  fc.assert(
    fc.property(
      fc.nat(5000),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 100, max: 1100 }),
      (count, at, height) => {
        const top = at * Math.max(0, count * rowHeight - height);
        const { first, end } = windowOf(count, { top, height, rowHeight });
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        expect(end - first).toBeLessThanOrEqual(mostRows);
        if (count === 0) return;
        expect(first * rowHeight).toBeLessThanOrEqual(top);
        expect(end).toBeGreaterThanOrEqual(Math.min(count, Math.floor((top + height - 1) / rowHeight) + 1));
      },
    ),
  );
});

it.each([
  ['', ''],
  ['one\n', 'one'],
  ['one\n  two \n\n \n', 'two'],
])('the last line of %j is %j', (text, line) => expect(lastLineOf(text)).toBe(line));
