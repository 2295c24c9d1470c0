/** Readers of events that are slower than what happens. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEventsApi } from '../../../src/service/admin/events.ts';
import { openStore } from '../../../src/store/sqlite/open.ts';
import { newApproval } from '../../store/rows.ts';
import { scratch } from '../../store/scratch.ts';

it('a reader that is overtaken in its stream gets not_found with what is left, and no gap without a word', async () => {
  await using directory = await scratch();
  const { store } = await openStore(join(directory.path, 'caisson.db'), { maxEvents: 250 });
  const happen = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++) await store.approvals.insert(newApproval());
  };
  await happen(250);
  const reader = createEventsApi({ store }).follow({ after: 0 })[Symbol.asyncIterator]();
  expect((await reader.next()).value).toMatchObject({ seq: 1 });
  await happen(450);
  const seqs = [1];
  const rest = async (): Promise<void> => {
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) seqs.push(next.value.seq);
  };
  await expect(rest()).rejects.toMatchObject({
    code: 'not_found',
    details: { after: 200, left: { oldest: 451, newest: 700 } },
  });
  expect(seqs).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  await store.close();
});

it('events of other owners stay, and their readers go on, while one owner adds more than all that are kept', async () => {
  await using directory = await scratch();
  const { store } = await openStore(join(directory.path, 'caisson.db'), { maxEvents: 250 });
  const happen = async (owner: string, count: number): Promise<void> => {
    for (let done = 0; done < count; done++)
      await store.approvals.insert({ ...newApproval(), taskId: `${owner}.build` });
  };
  await happen('alice', 20);
  await happen('mallory', 600);
  await happen('alice', 20);
  await happen('mallory', 60);
  const events = createEventsApi({ store });
  const seqsOf = async (owner: string, after: number): Promise<readonly number[]> =>
    (await Array.fromAsync(events.follow({ owner, after }))).map(({ seq }) => seq);
  const own = Array.from({ length: 40 }, (_, index) => (index < 20 ? index + 1 : 601 + index));
  expect(await seqsOf('alice', 0)).toEqual(own);
  expect(await seqsOf('alice', 5)).toEqual(own.slice(5));
  expect(await events.kept(5, 'alice')).toEqual({ oldest: 1, newest: 700 });
  const left = await seqsOf('mallory', 0);
  expect([left.length, left.at(-1)]).toEqual([210, 700]);
  // The first event of mallory that is kept, and one before it.
  expect(await seqsOf('mallory', (left[0] ?? 0) - 1)).toEqual(left);
  await expect(seqsOf('mallory', 100)).rejects.toMatchObject({ code: 'not_found', details: { after: 100 } });
  const all = (await Array.fromAsync(events.follow())).map(({ seq }) => seq);
  expect(all).toEqual([...own, ...left].toSorted((a, b) => a - b));
  await store.close();
});
