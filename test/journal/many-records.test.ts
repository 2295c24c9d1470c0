import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/sqlite/open.ts';
import { newExecId, where } from '../exec/requests.ts';
import { exitAfter } from './exits.ts';
import { newDirectory, openAt, segmentsIn, started } from './journals.ts';
import { storeOf } from './stores.ts';

const few = { ...started, where: { ...where, taskId: 'few', sandboxId: 'sbx_few' } };

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
