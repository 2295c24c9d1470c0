/** All sandboxes of the account, and their changes of state, which take time: meanwhile every other change is refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from './refuse.ts';
import type { Record, State } from './record.ts';
import type { MovableClock } from './movable-clock.ts';
import type { Faults } from './faults.ts';

const minuteMs = 60_000;
const sweepMs = 250;

interface Change {
  readonly through: State;
  readonly to: State;
  readonly work: () => Promise<void>;
}

export class Sandboxes {
  readonly #all = new Map<string, Record>();
  readonly #clock: MovableClock;
  readonly #faults: Faults;
  readonly #changes = new Set<Promise<void>>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(clock: MovableClock, faults: Faults) {
    this.#clock = clock;
    this.#faults = faults;
    this.#sweeper = setInterval(() => this.sweep(), sweepMs).unref();
  }

  list(): readonly Record[] {
    return [...this.#all.values()].toSorted((a, b) => b.createdMs - a.createdMs || (a.id < b.id ? -1 : 1));
  }

  /** Finds a sandbox by id or name. */
  find(idOrName: string): Record {
    const found = this.#all.get(idOrName) ?? this.list().find(({ name }) => name === idOrName);
    if (found !== undefined) return found;
    throw new ApiError(404, `Sandbox with ID or name ${idOrName.slice(0, 100)} not found`);
  }

  add(record: Record): void {
    if (this.list().some(({ name }) => name === record.name))
      throw new ApiError(409, `Sandbox with name ${record.name} already exists`);
    this.#all.set(record.id, record);
    this.#change(record, { through: 'creating', to: 'started', work: () => record.box.start() });
  }

  touch(record: Record): void {
    record.activeMs = this.#clock.now();
  }

  start(record: Record): void {
    if (record.state === 'started') return;
    this.settled(record);
    const through = record.state === 'archived' ? 'restoring' : 'starting';
    record.desired = 'started';
    record.stoppedMs = null;
    this.touch(record);
    this.#change(record, { through, to: 'started', work: () => record.box.start() });
  }

  stop(record: Record): void {
    this.settled(record);
    if (record.state !== 'started') throw new ApiError(400, 'Sandbox is not in a stoppable state');
    if (record.autoDeleteInterval === 0) return this.remove(record);
    record.desired = 'stopped';
    this.#change(record, { through: 'stopping', to: 'stopped', work: () => this.#end(record) });
  }

  archive(record: Record): void {
    this.settled(record);
    if (record.state !== 'stopped') throw new ApiError(400, 'Sandbox is not stopped');
    if (record.autoDeleteInterval === 0) throw new ApiError(400, 'Ephemeral sandboxes cannot be archived');
    record.desired = 'archived';
    this.#change(record, { through: 'archiving', to: 'archived', work: async () => undefined });
  }

  remove(record: Record): void {
    this.settled(record);
    record.desired = 'destroyed';
    this.#change(record, {
      through: 'destroying',
      to: 'destroyed',
      work: async () => {
        await this.#end(record);
        await record.box.remove();
        this.#all.delete(record.id);
      },
    });
  }

  /** What the service does by itself, by the clock. */
  sweep(): void {
    const now = this.#clock.now();
    for (const record of this.#all.values()) {
      if (isMoving(record)) continue;
      const { ttlMinutes, createdMs, stoppedMs } = record;
      const stoppedFor = stoppedMs === null ? -1 : (now - stoppedMs) / minuteMs;
      if (record.state === 'started' && !record.box.runs) this.#ended(record);
      else if (ttlMinutes > 0 && now - createdMs >= ttlMinutes * minuteMs) this.remove(record);
      else if (isIdle(record, now)) this.stop(record);
      else if (record.autoDeleteInterval > 0 && stoppedFor >= record.autoDeleteInterval) this.remove(record);
      else if (record.state === 'stopped' && stoppedFor >= record.autoArchiveInterval) this.archive(record);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all(this.#changes);
    for (const record of this.#all.values()) {
      await this.#end(record);
      await record.box.remove();
    }
  }

  async #end(record: Record): Promise<void> {
    record.toolbox.end();
    await record.box.stop();
    record.stoppedMs = this.#clock.now();
  }

  /** Its first process has ended by itself. */
  #ended(record: Record): void {
    record.toolbox.end();
    record.desired = 'stopped';
    record.stoppedMs = this.#clock.now();
    this.#move(record, 'stopped');
  }

  settled(record: Record): void {
    if (isMoving(record))
      throw new ApiError(409, 'Sandbox state change in progress', { code: 'SANDBOX_STATE_CHANGE_IN_PROGRESS' });
  }

  #change(record: Record, { through, to, work }: Change): void {
    this.#move(record, through);
    const change = sleep(this.#faults.transitionMs)
      .then(work)
      .then(
        () => this.#move(record, to),
        (error: unknown) => {
          record.errorReason = error instanceof Error ? error.message.slice(0, 300) : 'failed';
          this.#move(record, 'error');
        },
      );
    this.#changes.add(change);
    void change.then(() => this.#changes.delete(change));
  }

  #move(record: Record, state: State): void {
    record.state = state;
    record.updatedMs = this.#clock.now();
  }
}

function isMoving({ state }: Record): boolean {
  return state.endsWith('ing');
}

function isIdle({ state, autoStopInterval, activeMs }: Record, now: number): boolean {
  return state === 'started' && autoStopInterval > 0 && now - activeMs >= autoStopInterval * minuteMs;
}
