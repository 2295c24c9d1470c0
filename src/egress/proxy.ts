/**
 * The egress proxy of a state directory: a process that holds its lease, with a door for each sandbox whose network is filtered. The
 * store says which there are and by which rules; what it does not say is not open.
 */
import { existsSync, statSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Audit } from '../audit/types.ts';
import { toCaissonError } from '../errors.ts';
import { actingAs, itself } from '../lib/author.ts';
import { readEntrance, type Entrance } from '../lib/entrance.ts';
import type { AddressRules } from '../network/address/types.ts';
import { resolveBy } from '../network/dial/resolve.ts';
import { Door } from './door/door.ts';
import { defaultLimits } from './door/limits.ts';
import { rulesetOf } from './door/ruleset.ts';
import { hasDoor } from './way-out.ts';
import type { EgressRow } from '../store/egress.ts';
import { storeFile } from '../store/open.ts';
import { everySandbox } from '../store/every-sandbox.ts';
import type { SandboxRow, Store } from '../store/store.ts';
import { openControl } from './control.ts';
import { denialEntry } from './audit.ts';
import { Denials, type Reported } from './denials.ts';
import { listenInside } from './enter.ts';
import { logConnection } from './log.ts';
import { Tally } from './tally.ts';
import { withoutSecrets } from './without-secrets.ts';
import { doorOf, egressDirectory, makeEgressDirectory, makeDoor, proxyLease, withShortPath } from './places.ts';

export interface ProxyInput {
  readonly home: string;
  readonly store: Pick<Store, 'leases' | 'sandboxes' | 'egress' | 'events'>;
  readonly audit: Pick<Audit, 'recordSoon'>;
  /** Rules of the file of now, and of all that was read of it since the text of this source: see `Readings`. */
  readonly addresses: (source: string) => Promise<AddressRules>;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

interface Open {
  /** Task by whose name its connections are recorded. */
  readonly taskId: string;
  readonly door: Door;
  readonly denials: Denials;
  revision: number;
  /** Mark of the configuration by which the sandbox was used last. */
  source: string;
  /** Entrance to the sandbox's own network namespace, in which the proxy listens; `null`: it listens at the door. */
  entrance: Entrance | null;
}

/** Another process may just be ending. */
const leaseWaitMs = 10_000;
/** What another process has changed without a word, such as a removal. */
const lookEveryMs = 1000;
/** Without a sandbox for so long, it ends. */
const lingerMs = 5000;

/** Resolves when it was ended, or no sandbox needs it. False: another process has the lease. */
export async function runProxy(parts: ProxyInput): Promise<boolean> {
  if (!(await held(parts))) return false;
  const proxy = new EgressProxy(parts);
  await makeEgressDirectory(parts.home);
  const control = await openControl(parts.home, (sandboxId) => proxy.sync(sandboxId));
  try {
    await proxy.run();
  } finally {
    // First of all, so that a process that comes now starts another one.
    control.close();
    await proxy.close();
    await parts.store.leases.release(proxyLease);
  }
  return true;
}

async function held({ store, signal }: ProxyInput): Promise<boolean> {
  const deadline = performance.now() + leaseWaitMs;
  while (!(await store.leases.acquire(proxyLease))) {
    if (performance.now() > deadline || signal.aborted) return false;
    await sleep(50);
  }
  return true;
}

class EgressProxy {
  readonly #parts: ProxyInput;
  readonly #doors = new Map<string, Open>();
  readonly #tally = new Tally();
  #syncing: Promise<void> = Promise.resolve();
  #neededAt = performance.now();

  constructor(parts: ProxyInput) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { signal, home } = this.#parts;
    const isNeeded = (): boolean => performance.now() - this.#neededAt < lingerMs;
    const database = databaseIn(home);
    // A state directory that was removed, or a database that was restored, is not what this process has open.
    const isCurrent = (): boolean => existsSync(egressDirectory(home)) && databaseIn(home) === database;
    while (!signal.aborted && isNeeded() && isCurrent()) {
      await this.#next(() => this.#look()).catch((error: unknown) => this.#parts.say(toCaissonError(error).message));
      this.#tally.write(
        home,
        [...this.#doors.values()].reduce((sum, { door }) => sum + door.open, 0),
      );
      await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Takes up what the store says of one sandbox. */
  sync(sandboxId: string): Promise<void> {
    return this.#next(async () => {
      const row = await this.#parts.store.sandboxes.find(sandboxId);
      if (row === null || !hasDoor(row)) return await this.#shut(sandboxId);
      this.#neededAt = performance.now();
      await this.#keep(row);
    });
  }

  /** One after another. */
  #next(work: () => Promise<void>): Promise<void> {
    const next = this.#syncing.then(work);
    this.#syncing = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    await this.#syncing;
    for (const [id] of this.#doors) await this.#shut(id);
  }

  /** At all sandboxes. */
  async #look(): Promise<void> {
    const rows = (await Array.fromAsync(everySandbox(this.#parts.store.sandboxes))).filter(hasDoor);
    if (rows.length > 0) this.#neededAt = performance.now();
    const wanted = new Set(rows.map(({ id }) => id));
    for (const [id] of this.#doors) if (!wanted.has(id)) await this.#shut(id);
    const failures: unknown[] = [];
    for (const row of rows) await this.#keep(row).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** What cannot be read is shut. */
  async #keep(row: SandboxRow): Promise<void> {
    try {
      const rules = await this.#parts.store.egress.of(row.id);
      if (rules === null) return await this.#shut(row.id);
      // A task has claimed it: what is recorded from now on is of the task.
      if ((this.#doors.get(row.id)?.taskId ?? row.taskId) !== row.taskId) await this.#shut(row.id);
      const open = this.#doors.get(row.id);
      if (open === undefined) await this.#open(row, rules);
      else if (open.revision !== rules.revision || open.source !== rules.source) await this.#revise(open, row, rules);
      await this.#enter(row.id);
    } catch (error) {
      await this.#shut(row.id);
      throw error;
    }
  }

  async #open(row: SandboxRow, rules: EgressRow): Promise<void> {
    const { home, addresses } = this.#parts;
    const denials = new Denials({ report: (denied, count) => this.#report(row, denied, count) });
    const door = new Door({
      task: row.taskId,
      egress: rulesetIn(row, rules),
      addresses: async () => await addresses(this.#doors.get(row.id)?.source ?? rules.source),
      lookup: resolveBy(),
      reach: (address, port) => ({ address, port }),
      limits: defaultLimits,
      record: (whole) => {
        const record = withoutSecrets(whole);
        logConnection(home, row.id, record);
        this.#tally.add(record);
        denials.add(record);
      },
    });
    const directory = await makeDoor(home, row.id);
    await rm(join(directory, 'door'), { force: true });
    await withShortPath(directory, 'door', async (path) => await door.listen({ path }));
    await chmod(join(directory, 'door'), 0o777);
    const { revision, source } = rules;
    this.#doors.set(row.id, { door, denials, revision, source, entrance: null, taskId: row.taskId });
  }

  #report({ id, taskId, backend }: SandboxRow, denied: Reported, count: number): void {
    const { audit, store, say } = this.#parts;
    audit.recordSoon(denialEntry({ id, taskId }, denied, count));
    const { name: host, port, rule } = denied;
    const data = { taskId, sandboxId: id, backend, host, port, rule, count };
    actingAs(itself('proxy', null), () => store.events.denied(taskId, data)).catch((error: unknown) =>
      say(toCaissonError(error).message),
    );
  }

  async #revise(open: Open, row: SandboxRow, rules: EgressRow): Promise<void> {
    open.source = rules.source;
    await open.door.revise(rulesetIn(row, rules));
    open.revision = rules.revision;
  }

  /** A sandbox that was started anew has another namespace. */
  async #enter(id: string): Promise<void> {
    const open = this.#doors.get(id);
    const entrance = readEntrance(doorOf(this.#parts.home, id));
    if (open === undefined || isDeepStrictEqual(entrance, open.entrance)) return;
    open.entrance = null;
    open.door.adopt(null);
    if (entrance === null) return;
    open.door.adopt(await listenInside(entrance));
    open.entrance = entrance;
  }

  async #shut(id: string): Promise<void> {
    const open = this.#doors.get(id);
    this.#doors.delete(id);
    await open?.door.close();
    open?.denials.close();
  }
}

/** Which file that is: another one may come to have its name. */
function databaseIn(home: string): string | null {
  const found = statSync(storeFile(home), { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

/** To observe is to allow every public name that nothing denies. */
const rulesetIn = ({ spec }: Pick<SandboxRow, 'spec'>, { configured, own }: EgressRow): ReturnType<typeof rulesetOf> =>
  rulesetOf({
    ...configured,
    allow: [
      ...configured.allow,
      ...own.allow,
      ...own.once.map(({ host }) => host),
      ...(spec.network === 'observe' ? ['*'] : []),
    ],
    deny: [...configured.deny, ...own.deny],
  });
