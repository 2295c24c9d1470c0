import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/journal/types.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { report } from '../counts.ts';
import { newExecId, where } from '../exec/requests.ts';
import { exitAfter, newDirectory, openAt, segmentsIn, started } from './journals.ts';
import { storeOf } from './stores.ts';

const few = { ...started, where: { ...where, taskId: 'few', sandboxId: 'sbx_few' } };
const counts = (process.env['CAISSON_LOAD_RECORDS'] ?? '2000,50000').split(',').map(Number);

/** Processor time of a call, in milliseconds: the least of some, as others use the processor too. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const costs: number[] = [];
  for (let at = 0; at < 9; at++) {
    const before = process.cpuUsage();
    for (let times = 0; times < 10; times++) await work();
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 10_000);
  }
  return Math.min(...costs);
}

async function write(journal: Journal, count: number): Promise<string> {
  const old = newExecId();
  await journal.record(old, few).end(exitAfter({ stdout: 0, stderr: 0 }));
  for (let at = 1; at < count; at++)
    await journal.record(newExecId(), started).end(exitAfter({ stdout: 0, stderr: 0 }));
  return old;
}

describe('many records', () => {
  it('cost a list of a task, and a look at an old exec, nothing', { timeout: 300_000 }, async () => {
    const costs: { readonly list: number; readonly page: number; readonly get: number; readonly first: number }[] = [];
    for (const count of counts) {
      const directory = newDirectory();
      const writer = await openAt(directory, { holder: 'writer', storeBytes: 1e10 });
      const old = await write(writer, count);
      await writer.close();
      const before = process.cpuUsage();
      const journal = await openAt(directory, { storeBytes: 1e10 });
      expect((await journal.execs({ task: 'few', limit: 20 })).map(({ execId }) => execId)).toEqual([old]);
      const { user, system } = process.cpuUsage(before);
      costs.push({
        first: (user + system) / 1000,
        list: await costOf(() => journal.execs({ task: 'few', limit: 20 })),
        page: await costOf(() => journal.execs({ limit: 20 })),
        get: await costOf(() => journal.exec(old)),
      });
      await journal.close();
    }
    for (const [at, count] of counts.entries()) report({ records: count, ...costs[at] });
    const [small, large] = [costs[0], costs.at(-1)];
    // A tenth of a millisecond is less than such a clock tells apart.
    for (const what of ['list', 'page', 'get'] as const)
      expect(large?.[what]).toBeLessThan(1.5 * (small?.[what] ?? 0) + 0.1);
  });
});

describe('records of which the store has no rows', () => {
  it('are found in the files once, with those that had no end', async () => {
    const directory = newDirectory();
    const writer = await openAt(directory, { holder: 'writer' });
    const [ended, before] = [newExecId(), newExecId()];
    await writer.record(ended, started).end(exitAfter({ stdout: 0, stderr: 0 }));
    await writer.record(before, few).end(exitAfter({ stdout: 0, stderr: 0 }));
    await writer.close();
    rmSync(storeOf(directory));
    const journal = await openAt(directory);
    await journal.index();
    expect((await journal.execs({ limit: 5 })).map(({ execId, exit }) => [execId, exit?.exitCode])).toEqual([
      [before, 3],
      [ended, 3],
    ]);
    expect((await journal.execs({ task: 'sbx_few', limit: 5 })).map(({ execId }) => execId)).toEqual([before]);
    await journal.close();
    const { store } = await openStore(storeOf(directory));
    expect(await store.execs.find(ended)).toMatchObject({
      id: ended,
      kind: 'exec',
      taskId: where.taskId,
      request: null,
    });
    await store.close();
  });

  it('are those of no file that was removed', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory);
    const id = newExecId();
    await journal.record(id, started).end(exitAfter({ stdout: 0, stderr: 0 }));
    await journal.close();
    for (const path of segmentsIn(directory)) rmSync(path);
    const reader = await openAt(directory);
    expect(await reader.has(id)).toBe(false);
    expect(await reader.execs({ limit: 5 })).toEqual([]);
    await reader.close();
  });
});

it('a page goes on behind the last exec, in each kind of list', async () => {
  const journal = await openAt(newDirectory());
  const ids = Array.from({ length: 7 }, () => `exec_ann.${newExecId().slice(5)}`);
  const own = { ...started, where: { ...where, taskId: 'ann.t', sandboxId: 'sbx_ann' } };
  for (const id of ids) await journal.record(id, own).end(exitAfter({ stdout: 0, stderr: 0 }));
  await journal.record(newExecId(), own).end(exitAfter({ stdout: 0, stderr: 0 }));
  const filters = [
    { owner: 'ann' },
    { task: 'ann.t', owner: 'ann' },
    { sandboxes: ['sbx_ann', 'sbx_no'], owner: 'ann' },
  ];
  for (const filter of filters) {
    const seen: string[] = [];
    for (let after: { id: string; at: number } | null = null; ;) {
      const page = await journal.execs({ ...filter, after, limit: 3 });
      seen.push(...page.map(({ execId }) => execId));
      const last = page.at(-1);
      if (last === undefined) break;
      after = { id: last.execId, at: Date.parse(last.startedAt) };
    }
    expect(seen).toEqual(ids.toReversed());
  }
  await journal.close();
});
