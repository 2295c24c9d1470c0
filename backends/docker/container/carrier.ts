/** Whether what carries the traffic of a sandbox is there, and its start where it has ended. */
import type { Sandbox } from '../../../src/backend.ts';
import { CaissonError, isCode } from '../../../src/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineEvent } from '../engine/events.ts';
import { isAway } from '../engine/fault.ts';
import { type Inspected, inspectContainer } from './container.ts';
import { restartDoor } from './door.ts';
import { remembered } from '../../../src/lib/remembered.ts';

export class Carrier implements NonNullable<Sandbox['carrier']> {
  readonly #engine: Engine;
  readonly #door: string;
  readonly #sandbox: string;
  /** Until one of the two containers ends, or the events of the engine are interrupted. */
  readonly #answer = remembered(() => this.#look());
  #restoring: Promise<void> | null = null;

  constructor(engine: Engine, door: string, sandbox: string) {
    this.#engine = engine;
    this.#door = door;
    this.#sandbox = sandbox;
  }

  /** A sandbox that does not run, or an engine that is away, lacks more than a carrier: its command fails by itself. */
  async carries(): Promise<boolean> {
    try {
      return await this.#answer();
    } catch (error) {
      if (isCode(error, 'not_found') || isAway(error)) return true;
      throw error;
    }
  }

  restore(): Promise<void> {
    this.#restoring ??= this.#launch().finally(() => (this.#restoring = null));
    return this.#restoring;
  }

  /** Its absence leaves the sandbox without a way out, which is safe, but not what `filtered` is. */
  async #launch(): Promise<void> {
    try {
      await restartDoor(this.#engine, this.#door);
    } catch (error) {
      if (!isCode(error, 'not_found')) throw error;
      throw new CaissonError('failed_precondition', 'what carries the traffic of the sandbox is gone', {
        cause: error,
        remedy: 'make the sandbox anew with --recreate: its files in /workspace and /root stay',
      });
    }
  }

  /** Watched from before the second look, so that no end falls between the two. */
  async #look(): Promise<boolean> {
    let isKept = true;
    let watches: readonly (() => void)[] = [];
    const forget = (): void => {
      if (isKept) this.#answer.forget();
      isKept = false;
      for (const end of watches) end();
    };
    try {
      watches = await this.#watch(forget);
      const [door, sandbox] = await Promise.all([this.#inspectDoor(), inspectContainer(this.#engine, this.#sandbox)]);
      const runs = sandbox.state === 'running';
      const carries = runs && door !== null && servesNow(door, sandbox);
      if (!carries) forget();
      return carries || !runs;
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #watch(forget: () => void): Promise<readonly (() => void)[]> {
    const hear = ({ type }: EngineEvent): void => {
      if (type !== 'exec_die' && type !== 'oom') forget();
    };
    const [door] = await Promise.all([this.#inspectDoor(), this.#engine.events.ready()]);
    const ids = [...(door === null ? [] : [door.id]), this.#sandbox];
    return ids.map((id) => this.#engine.events.watch(id, hear));
  }

  async #inspectDoor(): Promise<Inspected | null> {
    try {
      return await inspectContainer(this.#engine, this.#door);
    } catch (error) {
      if (isCode(error, 'not_found')) return null;
      throw error;
    }
  }
}

/** One that is older than the start of the sandbox is in the network of before. */
const servesNow = (door: Inspected, sandbox: Inspected): boolean =>
  door.state === 'running' && door.startedAt >= sandbox.startedAt;
