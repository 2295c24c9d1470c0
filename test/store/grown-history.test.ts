/** A page of the history and of the audit, however much is on record. `CAISSON_LOAD_ACTS`: how many. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditIn } from '../../src/audit/log.ts';
import type { AuditFilter } from '../../src/audit/types.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Act, ActEnd, HistoryFilter } from '../../src/store/history.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

const count = Number(process.env['CAISSON_LOAD_ACTS'] ?? 50_000);
const maxMs = 50;
const owners = ['operator', 'alice', 'bob'] as const;
const page = 100;
const first = Date.parse('2026-01-01T00:00:00Z');

const numbers = Array.from({ length: count }, (_, n) => n);
const home = mkdtempSync(join(tmpdir(), 'caisson-grown-'));
const audit = auditIn(join(home, 'audit'), { storeBytes: null, fileBytes: 16 * 1024 ** 2, holder: 'own_test' });
let store: Store;

const ownerAt = (n: number): string => (n % 1000 === 7 ? 'rare' : (owners[n % 3] ?? 'operator'));
const taskAt = (n: number): string => `${ownerAt(n) === 'operator' ? '' : `${ownerAt(n)}.`}t${n % 200}`;
const actAt = (n: number): Act => ({
  id: `exec_${n}`,
  kind: 'exec',
  owner: ownerAt(n),
  token: null,
  taskId: taskAt(n),
  sandboxId: `sbx_${n % 200}`,
  backend: 'docker',
  command: ['sh', '-c', `make part-${n}`],
  startedAt: first + n,
});
const endAt = (n: number): ActEnd => ({
  outcome: n % 5000 === 11 ? 'denied' : n % 10 === 3 ? 'failed' : 'done',
  reason: 'exited',
  exitCode: 0,
  signal: null,
  durationMs: 12,
  bytes: 400,
  rule: null,
});

beforeAll(async () => {
  store = (await openStore(home, systemClock)).store;
  for (let n = 0; n < count; n += 1) store.history.add(actAt(n), endAt(n));
  for (let n = 0; n < count; n += 1000)
    await Promise.all(
      Array.from({ length: Math.min(1000, count - n) }, (_, at) => {
        const [owner, taskId] = [ownerAt(n + at), taskAt(n + at)];
        const verdict = (n + at) % 5000 === 11 ? { verdict: 'deny', rule: 'terminal(git push:*)' } : {};
        const type = 'verdict' in verdict ? 'decision' : 'run';
        return audit.record({
          type,
          owner,
          taskId,
          execId: `exec_${n + at}`,
          command: ['make', `${n + at}`],
          ...verdict,
        });
      }),
    );
}, 3_600_000);
afterAll(async () => {
  await store.close();
  audit.close();
  rmSync(home, { recursive: true });
});

/** Milliseconds of processor on the thread of the event loop, the least of five. */
async function costOf(work: () => Promise<number>): Promise<{ readonly found: number; readonly ms: number }> {
  let [least, found] = [Number.POSITIVE_INFINITY, 0];
  for (let n = 0; n < 5; n += 1) {
    const before = process.threadCpuUsage();
    found = await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return { found, ms: least };
}

const middle = { at: first + Math.floor(count / 2), seq: Math.floor(count / 2) };
const filters: readonly (readonly [string, Partial<HistoryFilter>, number])[] = [
  ['of all', {}, page],
  ['from the middle on', { after: middle }, page],
  ['of an owner with few', { owner: 'rare' }, Math.min(page, Math.ceil((count - 7) / 1000))],
  ['of a task', { task: 't8', owner: 'operator' }, Math.min(page, numbers.filter((n) => taskAt(n) === 't8').length)],
  ['of a sandbox', { task: 'sbx_8' }, page],
  ['of what was denied', { faults: ['denied'] }, Math.min(page, Math.ceil((count - 11) / 5000))],
  ['of what failed of an owner', { faults: ['failed', 'lost'], owner: 'alice' }, page],
  ['of a time', { sinceMs: first + 1000, untilMs: first + 2000 }, page],
  ['of an owner without any', { owner: 'none', faults: ['lost'] }, 0],
];

it.each(filters)('a page of the history %s takes little of the processor', async (_what, filter, wanted) => {
  const { found, ms } = await costOf(async () => (await store.history.list({ limit: page, ...filter })).length);
  expect(found).toBe(wanted);
  expect(ms).toBeLessThan(maxMs);
});

const isDenied = (n: number): boolean => n % 5000 === 11;
const records: readonly (readonly [string, AuditFilter, (n: number) => boolean])[] = [
  ['of all', {}, () => true],
  ['of an owner with few', { owner: 'rare' }, (n) => ownerAt(n) === 'rare'],
  ['of what was denied', { verdict: 'deny' }, isDenied],
  ['of a rule and a task', { rule: 'git push', task: 't11' }, (n) => isDenied(n) && taskAt(n) === 't11'],
  ['of a task', { task: 't9' }, (n) => taskAt(n) === 't9'],
  ['of the last hour', { since: new Date(Date.now() - 3_600_000).toISOString() }, () => true],
  ['of an earlier day', { until: '2026-01-01T00:00:00Z' }, () => false],
];

it.each(records)(
  'a page of the audit %s takes little of the processor, once its files were read',
  async (_what, filter, isIn) => {
    const wanted = Math.min(page, numbers.filter(isIn).length);
    const ask = async (): Promise<number> =>
      (await Array.fromAsync(audit.tail({ count: page, follow: false, ...filter }))).length;
    await ask();
    const { found, ms } = await costOf(ask);
    expect(found).toBe(wanted);
    expect(ms).toBeLessThan(maxMs);
  },
  600_000,
);
