/** What a sandbox with a filtered network may reach, and what it has reached. */
import { z } from 'zod';
import type { Connection } from '../../service/api.ts';
import { network } from '../../service/verbs/network.ts';
import { outline, served } from '../made.ts';
import { route } from '../route.ts';
import { urlsBody, urlVerdict } from '../schemas/admin.ts';
import { bare, inside, queryCount, queryFlag } from '../schemas/common.ts';
import { connectionEvent, plain } from '../schemas/network.ts';
import { streamOf } from '../stream/exec.ts';

const checkUrls = route({
  ...bare,
  ...outline(network.checker),
  body: urlsBody,
  answer: z.object({ verdicts: z.array(urlVerdict).readonly() }),
  run: async ({ api, body }) => {
    const check = await api.network.checker();
    return { verdicts: body.urls.map((query) => ({ url: query.url, ...check(query) })) };
  },
});

const networkLog = route({
  ...inside,
  ...outline(network.log),
  query: z.strictObject({ count: queryCount.exactOptional(), follow: queryFlag.exactOptional() }),
  events: connectionEvent,
  answer: z.undefined(),
  run: async (call) => {
    const { api, params, query, options } = call;
    // What is wrong is said before the stream begins.
    await api.network.rules(params.id, options);
    const how = { count: Math.min(query.count ?? 100, 100_000), follow: query.follow ?? false };
    return streamOf(call, (signal) => typed(api.network.log(params.id, how, { ...options, signal })));
  },
});

async function* typed(connections: AsyncIterable<Connection>): AsyncIterable<Readonly<Record<string, unknown>>> {
  for await (const each of connections) yield { type: 'connection', ...each };
}

export const networkRoutes = served('network', network, { ...plain, checker: [checkUrls], log: [networkLog] });
