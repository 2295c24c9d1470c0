/** The nouns of the contract over the tables, and what each of their methods does, for its errors. */
import type { DatabaseSync } from 'node:sqlite';
import type { Approvals, Grants, SavedRules, Tokens } from '../decisions.ts';
import type { EgressRules } from '../egress.ts';
import type { Events } from '../events.ts';
import type { Execs } from '../execs.ts';
import type { Leases } from '../leases.ts';
import type { Outbox } from '../outbox.ts';
import type { Places } from '../places.ts';
import type { Pool } from '../pool.ts';
import type { SampleStore } from '../samples.ts';
import type { Sandboxes, Uses } from '../sandboxes.ts';
import type { Store } from '../store.ts';
import { nounOf } from './noun.ts';
import type { Tasks } from './table.ts';
import type { Tables } from './tables.ts';

export type Nouns = Pick<Store, keyof Tables>;

const leases: Tasks<Leases> = {
  acquire: (key) => `take the lease ${key}`,
  release: (key) => `give back the lease ${key}`,
  holder: (key) => `read the lease ${key}`,
  isAlive: (holder) => `look for holder ${holder}`,
};

const sandboxes: Tasks<Sandboxes> = {
  insert: () => 'record the sandbox',
  update: (id) => `update the record of sandbox ${id}`,
  delete: (id) => `delete the record of sandbox ${id}`,
  find: (id) => `read the record of sandbox ${id}`,
  ofTask: (taskId) => `read the sandbox of task ${taskId}`,
  list: () => 'read the sandboxes',
};

const pool: Tasks<Pool> = {
  claim: ({ becomes }) => `claim a member of the pool for ${becomes.taskId}`,
  offer: (id) => `offer the member ${id} of the pool`,
  retire: (id) => `take the member ${id} out of the pool`,
};

const uses: Tasks<Uses> = {
  begin: (id) => `record a use of sandbox ${id}`,
  end: (id) => `end the use of sandbox ${id}`,
  beginStop: (id) => `record the stop of sandbox ${id}`,
};

const execs: Tasks<Omit<Execs, 'insertFresh' | 'ended'>> = {
  insert: ({ id }) => `record ${id}`,
  cutOff: () => 'look for execs that were cut off',
  endCutOff: () => 'record ends of execs that were cut off',
  find: (id) => `look for ${id.slice(0, 80)}`,
  delete: (id) => `forget ${id}`,
  retire: (id) => `retire ${id}`,
  detached: () => 'read the detached processes',
  expire: () => 'clear up the index of execs',
};

const places: Tasks<Places> = {
  take: (group) => `take a place of ${group}`,
  give: (group) => `give back a place of ${group}`,
  keep: (group) => `keep a place of ${group}`,
  kept: (group) => `read the places of ${group}`,
  giveKept: () => 'give back the places of processes',
};

const approvals: Tasks<Approvals> = {
  insert: ({ id }) => `record the question ${id}`,
  answer: (id) => `answer the question ${id}`,
  use: (id) => `use the approval ${id}`,
  find: (id) => `read the question ${id}`,
  pending: () => 'read the questions',
  answered: () => 'read the answers',
};

const grants: Tasks<Grants> = {
  insert: ({ id }) => `record the grant ${id}`,
  find: (id) => `look for the grant ${id.slice(0, 64)}`,
  list: () => 'read the grants',
  delete: (id) => `revoke the grant ${id.slice(0, 64)}`,
};

const tokens: Tasks<Tokens> = {
  insert: ({ id }) => `record the token ${id}`,
  byDigest: () => 'look for a token',
  list: () => 'read the tokens',
  delete: (id) => `remove the token ${id.slice(0, 64)}`,
};

const savedRules: Tasks<SavedRules> = { insert: () => 'save a rule', of: () => 'read the saved rules' };

const egress: Tasks<EgressRules> = {
  of: (sandboxId) => `read the egress rules of ${sandboxId}`,
  configure: (sandboxId) => `write the egress rules of ${sandboxId}`,
  change: (sandboxId) => `change the egress rules of ${sandboxId}`,
};

const readOrWriteEvents = (): string => 'read or write the events';
const events: Tasks<Events> = { read: readOrWriteEvents, kept: readOrWriteEvents, denied: readOrWriteEvents };

const outbox: Tasks<Outbox> = {
  setEndpoints: () => 'record the webhooks',
  due: () => 'read the events for webhooks',
  delivered: (id) => `record the delivery of ${id}`,
  failed: (id) => `record the failed delivery of ${id}`,
  givenUp: () => 'read the events for webhooks',
  trim: () => 'clear up the events for webhooks',
};

const samples: Tasks<SampleStore> = {
  add: () => 'record what sandboxes use',
  of: (sandboxId) => `read what ${sandboxId} has used`,
};

export function nounsOf(db: DatabaseSync, tables: Tables): Nouns {
  return {
    leases: nounOf(db, tables.leases, leases),
    sandboxes: nounOf(db, tables.sandboxes, sandboxes),
    pool: nounOf(db, tables.pool, pool),
    uses: nounOf(db, tables.uses, uses),
    execs: {
      ...nounOf(db, tables.execs, execs),
      insertFresh: (row) => tables.execs.insertFresh(row),
      ended: (exec, how) => tables.execs.ended(exec, how),
    },
    records: tables.records,
    history: tables.history,
    places: nounOf(db, tables.places, places),
    approvals: nounOf(db, tables.approvals, approvals),
    grants: nounOf(db, tables.grants, grants),
    tokens: nounOf(db, tables.tokens, tokens),
    savedRules: nounOf(db, tables.savedRules, savedRules),
    egress: nounOf(db, tables.egress, egress),
    events: nounOf(db, tables.events, events),
    outbox: nounOf(db, tables.outbox, outbox),
    samples: nounOf(db, tables.samples, samples),
  };
}
