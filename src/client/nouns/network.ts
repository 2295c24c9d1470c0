/** What may be connected to, by the service and by sandboxes whose network is filtered. */
import type { AddressVerdict, Connection } from '../../service/api.ts';
import { network } from '../../service/verbs/network.ts';
import type { ClientNetworkApi } from '../types.ts';
import { segment } from '../wire/path.ts';
import { shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { made } from './made.ts';

export function networkOf(wire: Wire): ClientNetworkApi {
  const checker: ClientNetworkApi['checker'] = () =>
    Promise.resolve(async (query) => {
      const { method, path } = network.checker;
      const answer = await wire.json({ method, path, body: { urls: [query] }, repeatable: true });
      const { verdicts } = shaped<{ readonly verdicts: readonly unknown[] }>(answer, { verdicts: 'list' });
      const { verdict, reason } = shaped<AddressVerdict>(verdicts[0], { verdict: 'text', reason: 'text' });
      return { verdict, reason };
    });
  /** A lost connection ends it: records have no number from which to go on. */
  const log: ClientNetworkApi['log'] = async function* (task, { count, follow } = {}, { signal } = {}) {
    const path = `/v1/sandboxes/${segment(task)}/network/log`;
    for await (const each of wire.events({ method: 'GET', path, query: { count, follow }, signal }))
      yield connectionIn(each);
  };
  return made(wire, 'network', { rows: network, byHand: { checker, log } });
}

function connectionIn(event: unknown): Connection {
  const shape = { type: 'text', startedAt: 'text', verdict: 'text', rule: 'text', reason: 'text' } as const;
  const { type: _, ...connection } = shaped<Connection & { readonly type: string }>(event, shape);
  return connection;
}
