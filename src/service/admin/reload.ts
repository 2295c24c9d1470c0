/** The configuration, read anew while the service runs. */
import type { Audit } from '../../audit/types.ts';
import type { Reloaded } from '../types.ts';
import { changeOf } from '../../config/live.ts';
import type { Loaded } from '../../config/types.ts';
import { configEntry, keysOf } from './config-entry.ts';
import type { Edits } from './edits.ts';

export interface Reloadable {
  /** What every part of the service reads what may change from: it is changed in place. */
  readonly loaded: Loaded;
  /** Throws as the opening does, and changes nothing. */
  readonly read: () => Promise<Loaded>;
  /** Takes the rules of a configuration. Throws for one that does not parse. */
  readonly takeRules: (next: Pick<Loaded, 'config' | 'origins'>) => Promise<void>;
  readonly openWebhooks: (read: Loaded) => Promise<void>;
  /** Takes up what sandboxes may reach now, and cuts the rest. */
  readonly takeNetwork: () => Promise<void>;
  /** Differences of the file that wait for this. */
  readonly edits: Pick<Edits, 'pending' | 'reloaded'>;
  readonly audit: Pick<Audit, 'record' | 'recordSoon'>;
}

/** One at a time: two that overlap could leave the older file in force. */
export function reloader(parts: Reloadable): () => Promise<Reloaded> {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    const next = last.then(async () => await reload(parts));
    last = next.catch(() => undefined);
    return await next;
  };
}

async function reload(parts: Reloadable): Promise<Reloaded> {
  const { loaded, read, takeRules, openWebhooks, takeNetwork, edits, audit } = parts;
  const { loosens } = await edits.pending();
  const found = await read();
  const { next, changed, needsRestart } = changeOf(loaded, found);
  await audit.record(configEntry('reload', changed, { needsRestart, loosens: keysOf(loosens) }));
  await takeRules(next).catch((error: unknown) => {
    audit.recordSoon(configEntry('reload-refused', changed));
    throw error;
  });
  Object.assign(loaded, next, { source: found.source });
  edits.reloaded(found.source);
  if (changed.includes('webhooks')) await openWebhooks({ ...found, ...next });
  await takeNetwork();
  return { changed, needsRestart };
}
