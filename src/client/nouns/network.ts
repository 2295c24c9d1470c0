/** What may be connected to, by the service and by sandboxes whose network is filtered. */
import type { AddressVerdict, Connection, NetworkRules, NetworkSuggestion } from '../../service/api.ts';
import type { ClientNetworkApi } from '../types.ts';
import { segment } from '../wire/path.ts';
import { shaped, type Shape } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';

const at = (task: string, verb = ''): string => `/v1/sandboxes/${segment(task)}/network${verb}`;
const rulesShape: Shape<NetworkRules> = {
  ...{ taskId: 'text', sandboxId: 'text', mode: 'text', revision: 'number', configured: 'object' },
  ...{ allow: 'list', deny: 'list', once: 'list' },
};

export function networkOf(wire: Wire): ClientNetworkApi {
  return {
    checker: () =>
      Promise.resolve(async (query) => {
        const body = { urls: [query] };
        const answer = await wire.json({ method: 'POST', path: '/v1/network/check', body, repeatable: true });
        const { verdicts } = shaped<{ readonly verdicts: readonly unknown[] }>(answer, { verdicts: 'list' });
        const { verdict, reason } = shaped<AddressVerdict>(verdicts[0], { verdict: 'text', reason: 'text' });
        return { verdict, reason };
      }),
    rules: async (task, { signal } = {}) =>
      shaped<NetworkRules>(await wire.json({ method: 'GET', path: at(task), signal }), rulesShape),
    change: async (task, change, { signal } = {}) =>
      shaped<NetworkRules>(
        await wire.json({ method: 'PATCH', path: at(task), body: change, repeatable: true, signal }),
        rulesShape,
      ),
    /** A lost connection ends it: records have no number from which to go on. */
    async *log(task, { count, follow } = {}, { signal } = {}) {
      for await (const each of wire.events({ method: 'GET', path: at(task, '/log'), query: { count, follow }, signal }))
        yield connectionIn(each);
    },
    suggest: async (task, { signal } = {}) =>
      shaped<NetworkSuggestion>(await wire.json({ method: 'GET', path: at(task, '/suggestion'), signal }), {
        ...{ taskId: 'text', seen: 'number', presets: 'list', allow: 'list' },
      }),
  };
}

function connectionIn(event: unknown): Connection {
  const shape = { type: 'text', startedAt: 'text', verdict: 'text', rule: 'text', reason: 'text' } as const;
  const { type: _, ...connection } = shaped<Connection & { readonly type: string }>(event, shape);
  return connection;
}
