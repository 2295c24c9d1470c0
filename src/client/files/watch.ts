/** Streams the changes in a directory. A lost connection ends the stream, since changes may have been missed. */
import { CaissonError } from '../../errors.ts';
import type { ClientFilesApi } from '../types.ts';
import type { LineObject } from '../wire/lines.ts';
import type { Ask, Wire } from '../wire/wire.ts';

type Events = Awaited<ReturnType<ClientFilesApi['watch']>>;
type WatchEvent = Events extends AsyncIterableIterator<infer Event> ? Event : never;

/** Resolves after the first look, as the library does: the service then sends the head of its answer. */
export async function watched(wire: Wire, ask: Ask): Promise<Events> {
  const events = await wire.openedEvents(ask);
  return changesIn(events);
}

async function* changesIn(events: AsyncIterable<LineObject>): AsyncGenerator<WatchEvent, undefined, void> {
  for await (const event of events) {
    if (!isChange(event))
      throw new CaissonError('internal', 'the service sent a change of another form than this client knows');
    yield event;
    if (event.type === 'end') return;
  }
}

const types = new Set(['created', 'modified', 'removed', 'overflow', 'end']);
const isChange = (event: object): event is WatchEvent => types.has(String(Reflect.get(event, 'type')));
