import { z } from 'zod';
import { isCode, toCaissonError } from '../../errors.ts';
import { events, history } from '../../service/verbs/records.ts';
import { outline, served } from '../made.ts';
import { HttpRefusal } from '../problems.ts';
import { route } from '../route.ts';
import { bare, pageOf, pageQuery, ownerQuery, queryCount, recordsOf } from '../schemas/common.ts';
import { changeEvent, changeType, faultQuery, historyEntry, keptEvents, since, until } from '../schemas/events.ts';
import { streamOf } from '../stream/exec.ts';

const followEvents = route({
  ...bare,
  ...outline(events.follow),
  query: z.strictObject({
    follow: z.enum(['true', 'false']).exactOptional(),
    task: recordsOf.exactOptional(),
    type: changeType.exactOptional().describe('Only changes of this kind.'),
  }),
  events: changeEvent,
  answer: z.undefined(),
  run: async (call) => {
    const {
      api,
      after,
      query: { follow, ...filter },
    } = call;
    try {
      await api.events.kept(after);
    } catch (error) {
      throw gone(error);
    }
    const how = { ...filter, after, follow: follow !== 'false' };
    return streamOf(call, async function* (signal) {
      try {
        for await (const event of api.events.follow(how, { signal })) yield { ...event };
      } catch (error) {
        // A reader that is slower than what happens is overtaken in the stream.
        throw gone(error);
      }
    });
  },
});

/** Answers 410 for events that were removed since the position of the reader, and leaves 404 to a sandbox that does not exist. */
function gone(error: unknown): unknown {
  const isGone = isCode(error, 'not_found') && Object.hasOwn(toCaissonError(error).details, 'after');
  return isGone ? new HttpRefusal(410, toCaissonError(error)) : error;
}

export const eventRoutes = served('events', events, {
  follow: [followEvents],
  kept: { query: z.strictObject({ after: queryCount.exactOptional() }), answer: keptEvents },
});

const listHistory = route({
  ...bare,
  ...outline(history.list),
  query: z.strictObject({
    ...pageQuery,
    task: recordsOf.exactOptional(),
    outcome: faultQuery.exactOptional(),
    owner: ownerQuery,
    since,
    until,
  }),
  answer: pageOf(historyEntry),
  run: ({ api, query: { outcome, ...filter }, options }) =>
    api.history.list({ ...filter, ...(outcome === undefined ? {} : { outcomes: outcome }) }, options),
});

export const historyRoutes = served('history', history, { list: [listHistory] });
