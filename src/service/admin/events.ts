/** Changes of state, for readers. They follow the store, so that those of other processes come too. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CaissonError } from '../../errors.ts';
import type { Context } from '../../sandbox/context.ts';
import type { EventRow, EventRange } from '../../store/events.ts';
import type { EventsApi, EventView } from '../api.ts';

const lookMs = 250;
const maxAtOnce = 200;

export function createEventsApi({ store }: Pick<Context, 'store'>): EventsApi {
  return {
    kept: async (after = 0, owner) => {
      const kept = await store.events.kept(owner ?? null);
      checkKept(kept, { after });
      return { oldest: oldestOf(kept), newest: kept.newest };
    },
    async *follow({ after = 0, follow = false, owner = null, ...filter } = {}, { signal } = {}) {
      // The oldest that is kept may be far from the first.
      const start = await store.events.kept(owner);
      let last = after === 0 ? Math.max(start.oldest - 1, 0) : after;
      const known = after === 0 ? start.gone : 0;
      for (;;) {
        signal?.throwIfAborted();
        const { newest } = await store.events.kept(owner);
        const rows = newest === last ? [] : await store.events.read({ ...filter, after: last, owner, max: maxAtOnce });
        // After the read: what a slow reader missed must not pass for nothing.
        checkKept(await store.events.kept(owner), { after: last, known });
        yield* rows.map(viewOf);
        last = rows.length < maxAtOnce ? Math.max(newest, rows.at(-1)?.seq ?? 0) : (rows.at(-1)?.seq ?? last);
        if (rows.length === maxAtOnce) continue;
        if (!follow) return;
        await sleep(lookMs, undefined, { signal }).catch(() => undefined); // the loop looks at the signal
      }
    },
  };
}

interface Reader {
  readonly after: number;
  /** What was gone before it began with the oldest. */
  readonly known?: number;
}

/** Throws `not_found` when events after `after` are gone, or `after` is of a database that was set aside. */
function checkKept(kept: EventRange, { after, known = 0 }: Reader): void {
  const { gone, newest } = kept;
  if (after === 0 || (Math.max(after, known) >= gone && after <= newest)) return;
  throw new CaissonError('not_found', `events after ${after} are not kept`, {
    remedy: 'read the state anew, and go on without `after`',
    details: { after, left: newest === 0 ? null : { oldest: oldestOf(kept), newest } },
  });
}

/** From there on all events of the owner are kept. */
const oldestOf = ({ oldest, gone }: EventRange): number => Math.max(oldest, gone === 0 ? 0 : gone + 1);

function viewOf({ seq, type, owner, happenedAt, author, reason, data }: EventRow): EventView {
  return { seq, type, at: new Date(happenedAt).toISOString(), owner, author, reason, data };
}
