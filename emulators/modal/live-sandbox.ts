/** One sandbox from its start to its end, whichever of its limits brings that about. */
import { rm, mkdir } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Container } from './container.ts';
import { Exec, type ExecWanted } from './exec.ts';
import type { Images } from './images.ts';
import type { MovableClock } from './movable-clock.ts';
import type { Network } from './network.ts';
import { Refusal } from './refuse.ts';

export interface Definition {
  readonly appId: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly imageId: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly network: Network;
  readonly milliCores: number;
  readonly memoryMib: number;
  readonly lifeMs: number;
  readonly idleMs: number | null;
  readonly exitSnapshot: boolean;
}

/** GenericResult of the service: 3 terminated, 4 timeout, 6 internal failure, 7 idle timeout. */
export type EndStatus = 3 | 4 | 6 | 7;

export interface Result {
  readonly status: EndStatus;
  readonly exception: string;
  readonly exitcode: number;
}

interface LiveSandboxInput {
  readonly id: string;
  readonly taskId: string;
  readonly createdAt: number;
  readonly home: string;
  readonly container: Container;
  readonly definition: Definition;
  readonly clock: MovableClock;
  readonly images: Images;
}

export class LiveSandbox {
  readonly id: string;
  readonly taskId: string;
  readonly definition: Definition;
  /** In seconds; no two sandboxes have the same, since pages of the list are cut by it. */
  readonly createdAt: number;
  readonly ended: Promise<Result>;
  tags: Readonly<Record<string, string>>;
  network: Network;
  result: Result | null = null;
  /** Id of the snapshot at its end, when that was asked for. */
  exitSnapshot: string | null = null;
  readonly #parts: LiveSandboxInput;
  readonly #execs = new Map<string, Promise<Exec>>();
  readonly #snapshots = new Map<string, Promise<string>>();
  readonly #forgetLife: () => void;
  readonly #settle: (result: Result) => void;
  #forgetIdle: () => void = () => undefined;
  #ending: Promise<void> | null = null;

  constructor(parts: LiveSandboxInput) {
    const { id, taskId, definition, clock } = parts;
    this.id = id;
    this.taskId = taskId;
    this.definition = definition;
    this.tags = definition.tags;
    this.network = definition.network;
    this.#parts = parts;
    this.createdAt = parts.createdAt;
    const { promise, resolve } = Promise.withResolvers<Result>();
    this.ended = promise;
    this.#settle = resolve;
    this.#forgetLife = clock.at(clock.nowMs() + definition.lifeMs, () => void this.end(4));
    this.#touch();
  }

  /** An id names one command: a request that comes twice starts it once. */
  async start(execId: string, wanted: ExecWanted): Promise<Exec> {
    if (this.#ending !== null) throw new Refusal('NOT_FOUND', 'the sandbox of this command has ended');
    const starting = this.#execs.get(execId) ?? this.#start(execId, wanted);
    this.#execs.set(execId, starting);
    return await starting;
  }

  async exec(id: string): Promise<Exec> {
    const found = this.#execs.get(id);
    if (found === undefined) throw new Refusal('NOT_FOUND', `there is no command ${id.slice(0, 80)}`);
    return await found;
  }

  /** An id names one snapshot: a request that comes twice makes it once. */
  async snapshot(id: string, ttlSeconds: number | null): Promise<string> {
    const taking = this.#snapshots.get(id) ?? this.#snapshot(ttlSeconds);
    this.#snapshots.set(id, taking);
    taking.catch(() => this.#snapshots.delete(id));
    return await taking;
  }

  /** Any number of times; resolves when nothing of it runs. */
  async end(status: EndStatus): Promise<void> {
    this.#ending ??= this.#end(status);
    await this.#ending;
  }

  async #start(execId: string, wanted: ExecWanted): Promise<Exec> {
    this.#forgetIdle();
    const directory = join(this.#parts.home, 'execs', createHash('sha256').update(execId).digest('hex'));
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const exec = await Exec.start(this.#parts.container, wanted, directory);
    exec.end.catch(() => undefined).finally(() => this.#touch());
    return exec;
  }

  async #snapshot(ttlSeconds: number | null): Promise<string> {
    const image = await this.#parts.images.ofSnapshot(ttlSeconds, (to) => this.#parts.container.snapshot(to));
    return image.id;
  }

  async #end(status: EndStatus): Promise<void> {
    this.#forgetLife();
    this.#forgetIdle();
    for (const starting of this.#execs.values()) (await starting.catch(() => null))?.lose();
    await this.#parts.container.stop();
    if (this.definition.exitSnapshot) this.exitSnapshot = await this.#snapshot(null).catch(() => null);
    this.result = { status, exception: '', exitcode: status === 4 ? 124 : 137 };
    await this.#parts.container.remove();
    await rm(this.#parts.home, { recursive: true, force: true });
    this.#settle(this.result);
  }

  /** A command that runs is activity; the idle limit counts from the end of the last one. */
  #touch(): void {
    const { idleMs } = this.definition;
    if (idleMs === null || this.result !== null) return;
    const { clock } = this.#parts;
    this.#forgetIdle();
    this.#forgetIdle = clock.at(clock.nowMs() + idleMs, () => void this.#endIfIdle());
  }

  async #endIfIdle(): Promise<void> {
    for (const starting of this.#execs.values()) if ((await starting.catch(() => null))?.running === true) return;
    await this.end(7);
  }
}
