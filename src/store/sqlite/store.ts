/** The store of one host: a SQLite file that several processes share. */
import type { DatabaseSync } from 'node:sqlite';
import { CaissonError } from '../../errors.ts';
import type {
  EndedExec,
  ExecEnd,
  ExecRow,
  ApprovalAnswer,
  ApprovalRow,
  GrantRow,
  Holder,
  SandboxPatch,
  SandboxQuery,
  SandboxRow,
  SavedRule,
  StopIntent,
  Store,
  TokenRow,
} from '../store.ts';
import type { StoreFigures } from '../figures.ts';
import { type Clock } from '../../lib/clock.ts';
import { Approvals } from './approvals.ts';
import { Batch } from './batch.ts';
import { copyDatabase } from './copy.ts';
import { storeError } from './errors.ts';
import { EventLog } from './events.ts';
import { Execs } from './execs.ts';
import { figuresOf } from './figures.ts';
import { Grants } from './grants.ts';
import { Leases } from './leases.ts';
import type { Lock } from './lock.ts';
import type { Notice } from './notice.ts';
import { heartbeatMs, type HolderRow } from '../../lib/holder.ts';
import { SqliteOutbox } from './outbox.ts';
import { SqliteEgressRules } from './egress.ts';
import { SqlitePlaces } from './places.ts';
import { SqliteRecords } from './records.ts';
import { Sandboxes } from './sandboxes.ts';
import { SavedRules } from './saved-rules.ts';
import { failed } from './soundness.ts';
import { steadyNow } from './steady.ts';
import { Tokens } from './tokens.ts';
import { Uses } from './uses.ts';

export interface Parts {
  readonly db: DatabaseSync;
  readonly lock: Lock;
  readonly instance: string;
  readonly self: HolderRow;
  readonly notices: readonly Notice[];
  readonly clock: Clock;
  readonly mostEvents: number;
}

export class SqliteStore implements Store {
  readonly instance: string;
  readonly holderId: string;
  readonly notices: readonly Notice[];
  readonly outbox: SqliteOutbox;
  readonly events: EventLog;
  readonly places: SqlitePlaces;
  readonly egress: SqliteEgressRules;
  readonly records: SqliteRecords;
  readonly #db: DatabaseSync;
  readonly #lock: Lock;
  readonly #clock: Clock;
  readonly #leases: Leases;
  readonly #sandboxes: Sandboxes;
  readonly #approvals: Approvals;
  readonly #grants: Grants;
  readonly #tokens: Tokens;
  readonly #savedRules: SavedRules;
  readonly #uses: Uses;
  readonly #execs: Execs;
  readonly #heartbeat: NodeJS.Timeout;

  constructor({ db, lock, instance, self, notices, clock, mostEvents }: Parts) {
    this.#clock = clock;
    this.instance = instance;
    this.holderId = self.id;
    this.notices = notices;
    this.#db = db;
    this.outbox = new SqliteOutbox(db);
    this.#lock = lock;
    this.#leases = new Leases(db, self);
    this.events = new EventLog(db, mostEvents);
    this.#sandboxes = new Sandboxes(db, this.events);
    this.#approvals = new Approvals(db, this.events);
    this.#grants = new Grants(db);
    this.#tokens = new Tokens(db);
    this.#savedRules = new SavedRules(db);
    const batch = new Batch(db);
    this.#execs = new Execs(db, this.events, batch);
    this.records = new SqliteRecords(db, batch);
    this.#uses = new Uses(db, self.id, { sandboxes: this.#sandboxes, leases: this.#leases });
    this.egress = new SqliteEgressRules(db);
    this.places = new SqlitePlaces(db, { self: self.id, leases: this.#leases, clock });
    this.#leases.beat(this.#clock);
    this.#leases.sweep(this.#clock);
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  async insertSandbox(row: SandboxRow, fits?: (rows: readonly SandboxRow[]) => void): Promise<void> {
    this.#do('record the sandbox', () => this.#sandboxes.insert(row, fits));
  }

  async updateSandbox(id: string, patch: SandboxPatch, fits?: (rows: readonly SandboxRow[]) => void): Promise<void> {
    this.#do(`update the record of sandbox ${id}`, () => this.#sandboxes.update(id, patch, fits));
  }

  async deleteSandbox(id: string): Promise<void> {
    this.#do(`delete the record of sandbox ${id}`, () => this.#sandboxes.delete(id));
  }

  async sandbox(id: string): Promise<SandboxRow | null> {
    return this.#do(`read the record of sandbox ${id}`, () => this.#sandboxes.byId(id));
  }

  async sandboxOfTask(taskId: string): Promise<SandboxRow | null> {
    return this.#do(`read the sandbox of task ${taskId}`, () => this.#sandboxes.ofTask(taskId));
  }

  async sandboxes(): Promise<readonly SandboxRow[]> {
    return this.#do('read the sandboxes', () => this.#sandboxes.all());
  }

  async listSandboxes(query: SandboxQuery): Promise<readonly SandboxRow[]> {
    return this.#do('read the sandboxes', () => this.#sandboxes.list(query));
  }

  async beginUse(id: string, generation: number): Promise<boolean> {
    return this.#do(`record a use of sandbox ${id}`, () => this.#uses.begin(id, generation));
  }

  async endUse(id: string, generation: number): Promise<void> {
    this.#do(`end the use of sandbox ${id}`, () => this.#uses.end(id, generation));
  }

  async beginStop(id: string, intent: StopIntent): Promise<boolean> {
    return this.#do(`record the stop of sandbox ${id}`, () => this.#uses.beginStop(id, intent, this.#clock));
  }

  async insertExec(row: Omit<ExecRow, 'holder'>): Promise<ExecRow | null> {
    return this.#do(`record ${row.id}`, () => this.#execs.insert({ ...row, holder: this.holderId }));
  }

  insertFreshExec(row: Omit<ExecRow, 'holder'>): void {
    this.#execs.insertSoon({ ...row, holder: this.holderId });
  }

  execEnded(exec: EndedExec, how: ExecEnd): void {
    this.#execs.endedSoon(exec, how);
  }

  async cutOffExecs(): Promise<readonly ExecRow[]> {
    return this.#do('look for execs that were cut off', () => this.#execs.cutOff());
  }

  async endCutOffExecs(ends: ReadonlyMap<string, ExecEnd>): Promise<void> {
    this.#do('record ends of execs that were cut off', () => this.#execs.endCutOff(ends));
  }

  async exec(id: string): Promise<ExecRow | null> {
    return this.#do(`look for ${id.slice(0, 80)}`, () => this.#execs.byId(id));
  }

  async deleteExec(id: string): Promise<void> {
    this.#do(`forget ${id}`, () => this.#execs.delete(id));
  }

  async retireExec(id: string): Promise<void> {
    this.#do(`retire ${id}`, () => this.#execs.retire(id));
  }

  async detachedExecs(): Promise<readonly ExecRow[]> {
    return this.#do('read the detached processes', () => this.#execs.detached());
  }

  async expireExecs(beforeMs: number): Promise<number> {
    return this.#do('clear up the index of execs', () => this.#execs.expire(beforeMs));
  }

  async isAlive(holder: string): Promise<boolean> {
    return this.#do(`look for holder ${holder}`, () => this.#leases.isHolderAlive(holder, this.#clock));
  }

  steadyNow(): number {
    return this.#do('read the clock of the store', () => steadyNow(this.#db, this.#clock));
  }

  async insertApproval(row: ApprovalRow): Promise<void> {
    this.#do(`record the question ${row.id}`, () => this.#approvals.insert(row));
  }

  async answerApproval(id: string, answer: ApprovalAnswer): Promise<boolean> {
    return this.#do(`answer the question ${id}`, () => this.#approvals.answer(id, answer));
  }

  async useApproval(id: string, binding: string): Promise<boolean> {
    return this.#do(`use the approval ${id}`, () => this.#approvals.use(id, binding));
  }

  async approval(id: string): Promise<ApprovalRow | null> {
    return this.#do(`read the question ${id}`, () => this.#approvals.byId(id));
  }

  async pendingApprovals(): Promise<readonly ApprovalRow[]> {
    return this.#do('read the questions', () => this.#approvals.pending());
  }

  async insertGrant(row: GrantRow): Promise<void> {
    this.#do(`record the grant ${row.id}`, () => this.#grants.insert(row));
  }

  async grants(): Promise<readonly GrantRow[]> {
    return this.#do('read the grants', () => this.#grants.all(this.steadyNow()));
  }

  async deleteGrant(id: string): Promise<boolean> {
    return this.#do(`revoke the grant ${id.slice(0, 64)}`, () => this.#grants.delete(id));
  }

  async insertToken(row: TokenRow): Promise<void> {
    this.#do(`record the token ${row.id}`, () => this.#tokens.insert(row));
  }

  async tokenByDigest(digest: string): Promise<TokenRow | null> {
    return this.#do('look for a token', () => this.#tokens.byDigest(digest));
  }

  async tokens(): Promise<readonly TokenRow[]> {
    return this.#do('read the tokens', () => this.#tokens.all());
  }

  async deleteToken(id: string): Promise<boolean> {
    return this.#do(`remove the token ${id.slice(0, 64)}`, () => this.#tokens.delete(id));
  }

  async insertSavedRule(rule: SavedRule): Promise<void> {
    this.#do('save a rule', () => this.#savedRules.insert(rule));
  }

  async savedRules(owner: string): Promise<readonly SavedRule[]> {
    return this.#do('read the saved rules', () => this.#savedRules.of(owner));
  }

  async acquire(key: string): Promise<boolean> {
    return this.#do(`take the lease ${key}`, () => this.#leases.acquire(key, this.#clock));
  }

  async release(key: string): Promise<void> {
    this.#do(`give back the lease ${key}`, () => this.#leases.release(key));
  }

  async holder(key: string): Promise<Holder | null> {
    return this.#do(`read the lease ${key}`, () => this.#leases.holder(key, this.#clock));
  }

  async figures(): Promise<StoreFigures> {
    return this.#do('count what there is', () => figuresOf(this.#db));
  }

  async copyTo(path: string): Promise<void> {
    this.#do('write what waits', () => this.#execs.flush());
    await copyDatabase(this.#db, path).catch((error: unknown) => {
      throw storeError(error, `copy the database to ${path}`);
    });
  }

  async close(): Promise<void> {
    if (!this.#db.isOpen) return;
    clearInterval(this.#heartbeat);
    this.#execs.flush();
    try {
      this.#leases.leave();
    } catch {
      // The disk may be full. Our leases then end with this process, which the next holder sees for itself.
    }
    this.#db.close();
    this.#lock.release();
  }

  #do<T>(what: string, work: () => T): T {
    if (!this.#db.isOpen) throw new CaissonError('failed_precondition', `cannot ${what}: the store is closed`);
    try {
      return work();
    } catch (error) {
      throw failed(this.#db, error, what);
    }
  }

  #beat(): void {
    try {
      this.#leases.beat(this.#clock);
    } catch {
      // A full disk or a busy database. The next beat comes in seconds; on this host our process id proves us alive.
    }
  }
}
