/**
 * Writes execs on record as a service does: the row that takes the id, the record, the event of its end. Arguments: the state
 * directory, how many, and `close` or `die`, which is a death with all files open.
 */
import { join } from 'node:path';
import { openJournal } from '../../../src/journal/journal.ts';
import { openStore } from '../../../src/store/sqlite/open.ts';
import { newExecId, where } from '../../exec/requests.ts';
import { exitAfter } from '../exits.ts';
import { bounds } from '../stores.ts';

const [home = '', count = '0', end = 'close'] = process.argv.slice(2);
const { store } = await openStore(join(home, 'caisson.db'));
const journal = await openJournal(join(home, 'journal'), {
  ...bounds,
  storeBytes: 1e10,
  holder: store.holderId,
  records: store.records,
});

/** The oldest has a task of its own, which a list has to find behind all others. */
for (let at = 0; at < Number(count); at++) {
  const id = newExecId();
  const taskId = at === 0 && end === 'close' ? 'few' : where.taskId;
  const place = { ...where, taskId, sandboxId: `sbx_${taskId}` };
  const row = { id, kind: 'exec', taskId, sandboxId: place.sandboxId, backend: where.backend, request: id } as const;
  store.execs.insertFresh({ ...row, startedAt: Date.now() });
  const exit = exitAfter({ stdout: 0, stderr: 0 });
  await journal.record(id, { command: ['echo', 'hi'], cwd: '/', where: place }).end(exit);
  store.execs.ended(row, exit);
}
if (end === 'die') process.kill(process.pid, 'SIGKILL');
await journal.close();
await store.close();
