/** Readers of events that are slower than what happens. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventsOf } from '../../../src/service/admin/events.ts';
import { openStore } from '../../../src/store/sqlite/open.ts';
import { newApproval } from '../../store/rows.ts';
import { scratch } from '../../store/scratch.ts';

it('a reader that is overtaken in its stream gets not_found with what is left, and no gap without a word', async () => {
  await using directory = await scratch();
  const { store } = await openStore(join(directory.path, 'caisson.db'), { mostEvents: 250 });
  const happen = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++) await store.insertApproval(newApproval());
  };
  await happen(250);
  const reader = eventsOf({ store }).follow({ after: 0 })[Symbol.asyncIterator]();
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
