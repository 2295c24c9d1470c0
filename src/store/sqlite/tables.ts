/** The tables of one connection, each with those that it needs. */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { HolderRow } from '../../lib/holder.ts';
import { ApprovalTable } from './approvals.ts';
import { Batch } from './batch.ts';
import { EgressTable } from './egress.ts';
import { EventTable } from './events.ts';
import { ExecTable } from './execs.ts';
import { GrantTable } from './grants.ts';
import { SqliteHistory } from './history.ts';
import { LeaseTable } from './leases.ts';
import { OutboxTable } from './outbox.ts';
import { PlaceTable } from './places.ts';
import { PoolTable } from './pool.ts';
import { SqliteRecords } from './records.ts';
import { SampleTable } from './samples.ts';
import { SandboxTable } from './sandboxes.ts';
import { SavedRuleTable } from './saved-rules.ts';
import { TokenTable } from './tokens.ts';
import { UseTable } from './uses.ts';

export interface TablesInput {
  readonly self: HolderRow;
  readonly clock: Clock;
  readonly maxEvents: number;
}

export type Tables = ReturnType<typeof tablesOf>;

export function tablesOf(db: DatabaseSync, { self, clock, maxEvents }: TablesInput) {
  const batch = new Batch(db);
  const events = new EventTable(db, maxEvents);
  const leases = new LeaseTable(db, self, clock);
  const sandboxes = new SandboxTable(db, events);
  return {
    leases,
    events,
    sandboxes,
    pool: new PoolTable(db, self.id, sandboxes),
    uses: new UseTable(db, self.id, { sandboxes, leases }),
    execs: new ExecTable(db, self.id, { events, batch }),
    records: new SqliteRecords(db, batch),
    history: new SqliteHistory(db, batch),
    places: new PlaceTable(db, self.id, leases),
    approvals: new ApprovalTable(db, events),
    grants: new GrantTable(db, clock),
    tokens: new TokenTable(db),
    savedRules: new SavedRuleTable(db),
    egress: new EgressTable(db),
    outbox: new OutboxTable(db),
    samples: new SampleTable(db),
  };
}
