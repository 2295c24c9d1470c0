/** What a status says that a person should look at. */
import { expect, it } from 'vitest';
import type { Status } from '../../../src/service/api.ts';
import { judged } from '../../../src/service/watch/concerns.ts';
import { status } from '../../cli/double-installation.ts';

const gib = 1024 ** 3;
const { level: _level, concerns: _concerns, ...usual } = status;
const well = { ...usual, approvalsWaiting: 0, budgets: [] };
const pending = { holds: [], loosens: [], reload: [], restart: [], problem: null };
const budget = {
  name: 'questions',
  total: 100,
  perOwner: 50,
  used: 10,
  waiting: 0,
  refused: { owner: 0, total: 0, waiting: 0 },
  largest: null,
  lastRefused: null,
} as const;

it('is nothing where all is well', () => {
  expect(judged(well)).toMatchObject({ level: 'well', concerns: [] });
});

it.each<readonly [string, Partial<Status>, string, Status['level']]>([
  [
    'a backend in use that is away',
    { backends: [{ backend: 'docker', status: 'missing', summary: 'no engine' }] },
    'docker: no engine',
    'broken',
  ],
  [
    'a full disk',
    { disk: { freeBytes: 1024 ** 2, totalBytes: 100 * gib, freeInodes: 9000 } },
    'nothing is started',
    'broken',
  ],
  [
    'a disk without inodes',
    { disk: { freeBytes: 90 * gib, totalBytes: 100 * gib, freeInodes: 3 } },
    'nothing is started',
    'broken',
  ],
  [
    'a disk that is nearly full',
    { disk: { freeBytes: 4 * gib, totalBytes: 100 * gib, freeInodes: 9000 } },
    '4096 MB are free',
    'attention',
  ],
  ['few inodes', { disk: { freeBytes: 90 * gib, totalBytes: 100 * gib, freeInodes: 500 } }, '500 inodes', 'attention'],
  ['a file that does not load', { pending: { ...pending, problem: 'line 3' } }, 'not taken up: line 3', 'broken'],
  ['a file that is newer', { pending: { ...pending, reload: ['network.allow'] } }, 'config.yaml is newer', 'attention'],
  [
    'a chain that is broken',
    { audit: { records: 9, bytes: 9, verified: { at: 'x', through: 4, intact: false } } },
    'changed or removed',
    'broken',
  ],
  [
    'a sandbox that hangs',
    { stuck: [{ taskId: 'a', state: 'destroying', since: '2026-01-01T00:00:00.000Z' }] },
    'a is destroying',
    'attention',
  ],
  ['commands that were lost', { day: { lost: 2, denied: 0 } }, '2 commands have an end', 'attention'],
  ['a question', { approvalsWaiting: 1 }, '1 command waits', 'attention'],
  [
    'a webhook that fails',
    { webhooks: [{ endpoint: 'pager', waiting: 1, givenUp: 2 }] },
    'pager: 2 events',
    'attention',
  ],
  ['a budget that is used up', { budgets: [{ ...budget, used: 95 }] }, 'questions: 95 of 100', 'attention'],
  [
    'a budget that refused',
    { budgets: [{ ...budget, lastRefused: { owner: 'bob', agoMs: 1000 } }] },
    'requests of bob',
    'attention',
  ],
])('names %s', (_what, facts, message, level) => {
  const found = judged({ ...well, ...facts });
  expect(found.level).toBe(level);
  expect(found.concerns).toHaveLength(1);
  expect(found.concerns[0]).toMatchObject({ level, message: expect.stringContaining(message) });
});

it('the worst comes first', () => {
  const disk = { freeBytes: 0, totalBytes: 100 * gib, freeInodes: 9000 };
  const { level, concerns } = judged({ ...well, approvalsWaiting: 3, disk });
  expect([level, concerns.map((each) => each.level)]).toEqual(['broken', ['broken', 'attention']]);
});
