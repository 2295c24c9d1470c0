/** What a sandbox with a filtered network may reach, and what it has reached. */
import { z } from 'zod';
import type { Connection } from '../../service/api.ts';
import { route } from '../route.ts';
import { inside, queryCount, queryFlag } from '../schemas/common.ts';
import { connectionEvent, rulesChange, rulesPage, suggestion } from '../schemas/network.ts';
import { streamOf } from '../stream/exec.ts';

export const networkRules = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/network',
  scope: 'read',
  about: 'Shows what a sandbox with a filtered network may reach.',
  answer: rulesPage,
  run: ({ api, params, options }) => api.network.rules(params.id, options),
});

export const changeNetwork = route({
  ...inside,
  method: 'PATCH',
  path: '/v1/sandboxes/{id}/network',
  scope: 'approve',
  about: 'Allows and denies hosts for this sandbox alone. What is denied now is cut. Only the operator allows.',
  body: rulesChange,
  answer: rulesPage,
  run: ({ api, params, body, options }) => api.network.change(params.id, body, options),
});

export const networkLog = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/network/log',
  scope: 'read',
  about: 'Streams the connections of a sandbox with a filtered network; with follow, also those to come.',
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

export const suggestRules = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/network/suggestion',
  scope: 'read',
  about: 'Proposes rules that would allow what a sandbox has asked for.',
  answer: suggestion,
  run: ({ api, params, options }) => api.network.suggest(params.id, options),
});
