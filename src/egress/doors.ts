/** Doors of sandboxes with a filtered network, as the processes that make and use such sandboxes see them. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Audit } from '../audit/types.ts';
import { sourceNow } from '../config/source.ts';
import { egressReading } from '../config/network.ts';
import type { Loaded } from '../config/types.ts';
import { hasDoor, type Ruled, type WayOut } from './way-out.ts';
import { readEntrance } from '../lib/entrance.ts';
import { type EgressReading, type EgressRow, type OwnChange, sourceWith } from '../store/egress.ts';
import { everySandbox } from '../store/every-sandbox.ts';
import type { SandboxRow, Store } from '../store/store.ts';
import { type Caller, operator } from '../values/caller.ts';
import { isMember } from '../values/member.ts';
import { ownerOf } from '../values/owner.ts';
import { askAbout } from './ask.ts';
import { changeEntry } from './audit.ts';
import { deniedNotes } from './denied.ts';
import { deniedSince } from './log.ts';
import { Link } from './control.ts';
import { doorOf, egressDirectory, filesLeft, makeDoor, removeDoor } from './places.ts';
import { pauseBeforeStart, recentStarts } from './revival.ts';
import { linkTo, type EgressStartInput } from './start.ts';

export interface DoorsDependencies extends EgressStartInput {
  readonly store: Pick<Store, 'egress' | 'sandboxes' | 'approvals'>;
  /** `network.ask` */
  readonly asks: () => boolean;
  readonly audit: Pick<Audit, 'recordSoon'>;
  /** Reads the rules for the sandbox of a task from the configuration in force. */
  readonly reading: (taskId: string) => EgressReading;
}

export interface ConfiguredDoors extends Pick<DoorsDependencies, 'store' | 'audit'> {
  /** States of the file that deny more than was read, since then. */
  readonly edits: () => readonly Pick<Loaded, 'config'>[];
}

/** Nothing is allowed to a member of the pool. Its mark is that of no file, so that the rules of the first task replace it. */
const closedReading: EgressReading = {
  lists: { allow: [], deny: [], ports: [], presets: [] },
  source: 'pool',
  later: null,
};

interface RulesRevision {
  /** Mark (`sourceWith`) of the configuration by which this process asked. */
  readonly source: string;
  readonly revision: number;
}

export function doorsIn(loaded: Loaded, { edits, ...parts }: ConfiguredDoors): EgressDoors {
  const reading = (taskId: string): EgressReading =>
    isMember(taskId) ? closedReading : egressReading(taskId, loaded, edits());
  return new EgressDoors({
    home: loaded.home,
    env: loaded.env,
    ...parts,
    reading,
    asks: () => loaded.config.network.ask,
  });
}

export class EgressDoors {
  readonly #parts: DoorsDependencies;
  #link: Link | null = null;
  #linking: Promise<Link> | null = null;
  /** What the proxy has taken up since this process has the link, by sandbox. */
  readonly #open = new Map<string, RulesRevision>();
  /** Sandboxes that this process has used, and that need the proxy as long as they have rules. */
  readonly #held = new Set<string>();
  #startedAt: readonly number[] = [];
  #isReleased = false;

  constructor(parts: DoorsDependencies) {
    this.#parts = parts;
  }

  /** The directory with the socket, on which the proxy listens when this resolves, by the rules of now. Throws `unavailable`. */
  async open(sandbox: Ruled): Promise<string> {
    const { home, store, audit, reading } = this.#parts;
    const read = reading(sandbox.taskId);
    const directory = await makeDoor(home, sandbox.id);
    const { row, before } = await store.egress.configure(sandbox.id, read, () => sourceNow(home) === read.source);
    const change = changeEntry(sandbox, before, row);
    if (change !== null) audit.recordSoon(change);
    this.#held.add(sandbox.id);
    const link = await this.#linked();
    await link.sync(sandbox.id);
    this.#open.set(sandbox.id, { source: sourceWith(read), revision: row.revision });
    return directory;
  }

  /**
   * Has a door that was open listen by the rules of now: nearly free where nothing has changed. Another process may have
   * written other rules since. Throws `unavailable`.
   */
  async keep(sandbox: Ruled): Promise<void> {
    const { home, store, reading } = this.#parts;
    const read = reading(sandbox.taskId);
    const source = sourceWith(read);
    const known = this.#link?.isOpen === true ? this.#open.get(sandbox.id) : undefined;
    const row = known?.source === source ? await store.egress.of(sandbox.id) : null;
    const isTaken = row !== null && row.revision === known?.revision;
    if (!isTaken || (row.source !== source && sourceNow(home) === read.source)) await this.open(sandbox);
  }

  /** Resolves when there is a way in. Most places carry the bytes themselves, and leave nothing to do. Throws `unavailable`. */
  async enter({ id }: Pick<SandboxRow, 'id'>): Promise<void> {
    if (readEntrance(doorOf(this.#parts.home, id)) !== null) await (await this.#linked()).sync(id);
  }

  async refresh(): Promise<void> {
    const rows = everySandbox(this.#parts.store.sandboxes, { state: 'ready' });
    for await (const row of rows) if (hasDoor(row)) await this.keep(row);
  }

  /**
   * Notes for people about connections that were denied since then, by the wall clock; with `network.ask` a question is put about each
   * host. Bounded. Rejects never. `caller`: whose command it was.
   */
  async denied(
    sandbox: Ruled & Pick<SandboxRow, 'backend' | 'ephemeral'>,
    sinceMs: number,
    caller?: Caller,
  ): Promise<readonly string[]> {
    const { home, store, asks } = this.#parts;
    const denied = await deniedSince(home, sandbox.id, sinceMs);
    // A question that cannot be put leaves the note, which says what else to do.
    const asked = asks() ? await askAbout(denied, { store, sandbox, caller }).catch(() => new Map()) : new Map();
    await this.#spend(sandbox, sinceMs).catch(() => undefined);
    const { taskId, ephemeral } = sandbox;
    return deniedNotes(denied, { task: ephemeral || ownerOf(taskId) !== operator ? null : taskId, asked });
  }

  /** What was allowed to the next command, which began after that, ends with it. */
  async #spend(sandbox: Ruled, startedAt: number): Promise<void> {
    const row = await this.#parts.store.egress.of(sandbox.id);
    if (row?.own.once.some(({ at }) => at <= startedAt) === true) await this.change(sandbox, { onceBefore: startedAt });
  }

  async change(sandbox: Ruled, change: OwnChange): Promise<EgressRow | null> {
    const { home, store, audit } = this.#parts;
    const settled = await store.egress.change(sandbox.id, change);
    if (settled === null) return null;
    const entry = changeEntry(sandbox, settled.before, settled.row);
    if (entry !== null) audit.recordSoon(entry);
    // Without a proxy there is nothing to cut: the next one begins with what the store says.
    const link = this.#link?.isOpen === true ? this.#link : await Link.open(home);
    await link?.sync(sandbox.id);
    if (link !== this.#link) link?.close();
    return settled.row;
  }

  async close(sandboxId: string): Promise<void> {
    this.#open.delete(sandboxId);
    this.#held.delete(sandboxId);
    await removeDoor(this.#parts.home, sandboxId);
  }

  async left(): ReturnType<WayOut['left']> {
    return await filesLeft(this.#parts.home);
  }

  /** Ends the use by this process; the proxy goes on. */
  release(): void {
    this.#isReleased = true;
    this.#link?.close();
  }

  /** An earlier start may have failed by what has been mended since, such as the configuration: it is not the answer to this call. */
  async #linked(): Promise<Link> {
    if (this.#link?.isOpen === true) return this.#link;
    this.#open.clear();
    const earlier = await this.#linking?.catch(() => undefined);
    if (earlier?.isOpen === true) return earlier;
    this.#linking ??= this.#connect().finally(() => (this.#linking = null));
    return await this.#linking;
  }

  async #connect(): Promise<Link> {
    const link = await linkTo(this.#parts);
    this.#link = link;
    if (this.#isReleased) link.close();
    void link.ended.then(async () => await this.#revive()).catch(() => undefined);
    return link;
  }

  /** A command that runs meanwhile asks for no door: its connections are refused until the proxy is there again. */
  async #revive(): Promise<void> {
    for (;;) {
      this.#startedAt = recentStarts(this.#startedAt, performance.now());
      await sleep(pauseBeforeStart(this.#startedAt), undefined, { ref: false });
      if (!(await this.#isNeeded())) return;
      this.#startedAt = [...this.#startedAt, performance.now()];
      if ((await this.#linked().catch(() => null)) !== null) return;
    }
  }

  /** A state directory that was removed has no sandboxes, whatever the open database still says. */
  async #isNeeded(): Promise<boolean> {
    for (const id of this.#held) {
      if (this.#isReleased || !existsSync(egressDirectory(this.#parts.home))) return false;
      if ((await this.#parts.store.egress.of(id)) !== null) return true;
      this.#held.delete(id);
    }
    return false;
  }
}
