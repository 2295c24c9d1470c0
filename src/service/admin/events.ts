/** Changes of state, for readers. They follow the store, so that those of other processes come too. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CaissonError } from '../../errors.ts';
import type { Context } from '../../sandbox/context.ts';
import type { EventRow } from '../../store/events.ts';
import type { EventsApi, EventView, KeptEvents } from '../api.ts';

const lookMs = 250;
const mostAtOnce = 200;

export function eventsOf({ store }: Pick<Context, 'store'>): EventsApi {
  return {
    kept: async (after = 0) => {
      const kept = await store.events.kept();
      checkKept(kept, after);
      return kept;
    },
    async *follow({ after = 0, follow = false, owner = null } = {}, { signal } = {}) {
      // The oldest that is kept may be far from the first.
      let last = after === 0 ? Math.max((await store.events.kept()).oldest - 1, 0) : after;
      for (;;) {
        signal?.throwIfAborted();
        const { newest } = await store.events.kept();
        const rows = newest === last ? [] : await store.events.read({ after: last, owner, most: mostAtOnce });
        // After the read: what a slow reader missed must not pass for nothing.
        checkKept(await store.events.kept(), last);
        yield* rows.map(viewOf);
        last = rows.length < mostAtOnce ? Math.max(newest, rows.at(-1)?.seq ?? 0) : (rows.at(-1)?.seq ?? last);
        if (rows.length === mostAtOnce) continue;
        if (!follow) return;
        await sleep(lookMs, undefined, { signal }).catch(() => undefined); // the loop looks at the signal
      }
    },
  };
}

/** Throws `not_found` when events after `after` are gone, or `after` is of a database that was set aside. */
function checkKept({ oldest, newest }: KeptEvents, after: number): void {
  if (after === 0 || (after >= oldest - 1 && after <= newest)) return;
  throw new CaissonError('not_found', `events after ${after} are not kept`, {
    remedy: 'read the state anew, and go on without `after`',
    details: { after, left: oldest === 0 ? null : { oldest, newest } },
  });
}

function viewOf({ seq, type, owner, happenedAt, author, reason, data }: EventRow): EventView {
  return { seq, type, at: new Date(happenedAt).toISOString(), owner, author, reason, data };
}
