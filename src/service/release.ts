/** Gives back, in order, what was opened for the service. */
import type { Audit } from '../audit/types.ts';
import type { Journal } from '../journal/journal.ts';
import type { Guard } from '../guard/open.ts';
import type { Pool } from '../pool/pool.ts';
import type { Backends } from '../sandbox/backends.ts';
import type { Context } from '../sandbox/context.ts';
import type { Stage } from './closing.ts';
import type { Webhooks } from './webhooks/open.ts';

export interface Closables {
  readonly context: Pick<Context, 'wayOut' | 'store'>;
  readonly pool: Pick<Pool, 'close'>;
  readonly guard: Pick<Guard, 'approvals'>;
  readonly journal: Pick<Journal, 'close'>;
  readonly known: Pick<Backends, 'closing'>;
  readonly audit: Pick<Audit, 'close'>;
  /** Those of the configuration in force. */
  readonly webhooks: { readonly now: Pick<Webhooks, 'close'> };
  /** Ends the look at the configuration file. */
  readonly unwatch: () => Promise<void>;
}

export function releasing({
  context,
  pool,
  guard,
  journal,
  known,
  audit,
  webhooks,
  unwatch,
}: Closables): readonly Stage[] {
  return [
    () => [{ what: 'the pool', ended: pool.close() }],
    () => [
      { what: 'the last calls of webhooks', ended: webhooks.now.close() },
      { what: 'the look at the configuration file', ended: unwatch() },
    ],
    () => {
      guard.approvals.close();
      return [{ what: 'the journal', ended: journal.close() }];
    },
    () => known.closing().map(({ name, ended }) => ({ what: `the backend ${name}`, ended })),
    () => {
      context.wayOut.release();
      return [{ what: 'the store', ended: context.store.close() }];
    },
    () => {
      audit.close();
      return [];
    },
  ];
}
