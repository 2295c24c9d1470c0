import { expect, it } from 'vitest';
import { type Happened, marksOf } from '../../dashboard/src/pages/sandbox/marks.ts';
import { momentIn, momentOf } from '../../dashboard/src/pages/sandbox/moment.ts';
import { Past } from '../../dashboard/src/pages/sandbox/past.ts';
import { stateText } from '../../dashboard/src/pages/sandbox/states.ts';

const act = (more: object) =>
  Object({
    kind: 'exec',
    execId: 'exec_1',
    taskId: 'build',
    command: ['echo', 'a\u202eb'],
    startedAt: '2026-01-01T00:00:10.000Z',
    outcome: 'done',
    reason: 'exited',
    exitCode: 0,
    signal: null,
    rule: null,
    durationMs: 1000,
    ...more,
  });

const change = (seq: number, [from, to]: readonly [from: string | null, to: string], more: object = {}) =>
  Object({
    seq,
    type: 'sandbox.state',
    at: `2026-01-01T00:00:${String(seq).padStart(2, '0')}.000Z`,
    owner: 'operator',
    author: 'tok_1',
    reason: null,
    data: { taskId: 'build', from, to },
    ...more,
  });

const nothing: Happened = { task: 'build', acts: [], questions: [], states: [], denials: [] };
const exec = '#/sandboxes/build/execs?exec=exec_1';
const moment = (second: string): string => `#/sandboxes/build?at=2026-01-01T00%3A00%3A${second}.000Z`;

it('marks are in the order of time; a command leads to its output, all else to its moment, and no mark reorders text', () => {
  const marks = marksOf({
    ...nothing,
    acts: [act({ reason: 'out-of-memory' }), act({ outcome: 'denied', startedAt: '2026-01-01T00:00:00.000Z' })],
    questions: [{ at: '2026-01-01T00:00:05.000Z' }],
    states: [change(7, ['ready', 'stopped'], { author: 'sweeper', reason: 'idle\u202e' })],
  });
  expect(marks.map(({ kind, href }) => [kind, href])).toEqual([
    ['denial', moment('00')],
    ['question', moment('05')],
    ['state', moment('07')],
    ['exec', exec],
    ['kill', exec],
  ]);
  expect(marks[2]?.text).toContain(': stopped by sweeper (idle');
  for (const { text } of marks) expect(text).not.toContain('\u202e');
});

it('what is not replayed leads to its moment, also where it was killed for memory', () => {
  const marks = marksOf({ ...nothing, acts: [act({ kind: 'session', reason: 'out-of-memory' })] });
  expect(marks.map(({ kind, href }) => [kind, href])).toEqual([
    ['exec', moment('10')],
    ['kill', moment('11')],
  ]);
});

it('a change of state is created, started, stopped or removed, and steps on the way are left out', () => {
  const steps = [
    [null, 'creating'],
    ['creating', 'ready'],
    ['ready', 'stopping'],
    ['stopping', 'stopped'],
  ] as const;
  expect(steps.map((step) => stateText(change(1, step)))).toEqual(['created', 'started', null, 'stopped']);
  expect(
    [['stopped', 'destroying'] as const, ['destroying', 'removed'] as const].map((step) => stateText(change(1, step))),
  ).toEqual([null, 'removed']);
  expect(stateText(change(1, ['ready', '__proto__']))).toBeNull();
});

it('many commands leave room for what is rare, and the newest of each stay', () => {
  const acts = Array.from({ length: 100 }, (_, at) => act({ startedAt: new Date(at * 1000).toISOString() }));
  const marks = marksOf({ ...nothing, acts, states: [change(1, [null, 'creating'])] });
  expect(marks.map(({ kind }) => kind).filter((kind) => kind === 'state')).toHaveLength(1);
  expect(marks).toHaveLength(41);
  expect(marks[0]?.atMs).toBe(60_000);
});

it('a denied connection is a mark that leads to its moment, and its name reorders no text', () => {
  const at = '2026-01-01T00:00:09.000Z';
  const denials = [
    Object({ at, data: { host: 'evil\u202e.test', port: 443, count: 3 } }),
    Object({ at, data: { host: null, port: null, count: 1 } }),
  ];
  const marks = marksOf({ ...nothing, denials });
  expect(marks.map(({ kind, href }) => [kind, href])).toEqual([
    ['denial', moment('09')],
    ['denial', moment('09')],
  ]);
  expect(marks[0]?.text).toMatch(/connection to evil.*\.test:443 denied, 3 times$/);
  expect(marks[0]?.text).not.toContain('\u202e');
  expect(marks[1]?.text).toBe(`${at}: connection denied`);
});

it('only changes since the last look are asked for, and a reader of what is gone begins anew', async () => {
  const asked: number[] = [];
  const range = { oldest: 1, newest: 5 };
  let coming = [change(2, [null, 'creating'])];
  const events = {
    kept: () => Promise.resolve(range),
    follow: async function* ({ after, ...how }: { readonly after?: number } = {}) {
      expect(how).toEqual({ task: 'build', type: 'sandbox.state' });
      asked.push(after ?? -1);
      yield* coming;
      await Promise.resolve();
    },
  };
  const states = new Past('build', 'sandbox.state');
  const load = async () => (await states.load(Object(events), new AbortController().signal)).map(({ seq }) => seq);
  expect(await load()).toEqual([2]);
  coming = [change(8, ['creating', 'ready'])];
  range.newest = 7;
  expect(await load()).toEqual([2, 8]);
  Object.assign(range, { oldest: 20, newest: 30 });
  coming = [change(25, ['ready', 'stopping'])];
  expect(await load()).toEqual([25]);
  Object.assign(range, { oldest: 1, newest: 3 });
  coming = [change(3, [null, 'creating'])];
  expect(await load()).toEqual([3]);
  expect(asked).toEqual([0, 5, 0, 0]);
});

it('a moment has the nearest figures, or those of its minute, and what happened within half a minute', () => {
  const figures = { cpuCores: 1, memoryBytes: 2, pids: 3, receivedPerSecond: 4, sentPerSecond: 5 };
  const at = (seconds: number): string => new Date(seconds * 1000).toISOString();
  const samples = {
    recent: [10, 20, 31].map((seconds) => ({ at: at(3600 + seconds), ...figures, pids: seconds })),
    minutes: [{ at: at(60), mean: { ...figures, pids: 60 }, max: figures }],
  };
  const marks = marksOf({
    ...nothing,
    states: [change(7, [null, 'creating'], { at: at(3590) }), change(8, ['creating', 'ready'], { at: at(3700) })],
  });
  const look = (seconds: number) => momentOf(seconds * 1000, { samples, marks });
  expect(look(3618).figures?.pids).toBe(20);
  expect(look(3618).marks.map(({ text }) => text)).toEqual([expect.stringContaining('created by tok_1')]);
  expect(look(119)).toMatchObject({ figures: { pids: 60 }, marks: [] });
  expect(look(120).figures).toBeNull();
  expect([momentIn(undefined), momentIn('soon'), momentIn(at(60))]).toEqual([null, null, 60_000]);
});
