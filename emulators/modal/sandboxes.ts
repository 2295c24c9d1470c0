/** The sandboxes of the service, also those that have ended: a name may be asked for after the end. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { mkdir, rm } from 'node:fs/promises';
import { startContainer } from './container.ts';
import type { Images } from './images.ts';
import { LiveSandbox, type Definition } from './live-sandbox.ts';
import type { Limits } from './limits.ts';
import type { MovableClock } from './movable-clock.ts';
import { Refusal } from './refuse.ts';

export interface SandboxesInput {
  readonly directory: string;
  readonly clock: MovableClock;
  readonly images: Images;
  readonly limits: Limits;
}

export class Sandboxes {
  readonly #place: SandboxesInput;
  readonly #all: LiveSandbox[] = [];
  /** Names that a creation holds which has not answered yet. */
  readonly #reserved = new Set<string>();
  #latest = 0;

  constructor(place: SandboxesInput) {
    this.#place = place;
  }

  async create(definition: Definition): Promise<LiveSandbox> {
    const key = `${definition.appId}\0${definition.name}`;
    if (definition.name !== '' && (this.#reserved.has(key) || this.#runningNamed(definition) !== undefined))
      throw new Refusal('ALREADY_EXISTS', `a sandbox named ${definition.name} runs in this app`);
    this.#reserved.add(key);
    try {
      const sandbox = await this.#start(definition);
      this.#all.push(sandbox);
      return sandbox;
    } finally {
      this.#reserved.delete(key);
    }
  }

  present(id: string): LiveSandbox {
    const found = this.#all.find((sandbox) => sandbox.id === id);
    if (found !== undefined) return found;
    throw new Refusal('NOT_FOUND', `there is no sandbox ${id.slice(0, 80)}`);
  }

  ofTask(id: string): LiveSandbox {
    const found = this.#all.find((sandbox) => sandbox.taskId === id);
    if (found !== undefined && found.result === null) return found;
    throw new Refusal('NOT_FOUND', `there is no task ${id.slice(0, 80)}`);
  }

  named(appId: string, name: string, includeEnded: boolean): LiveSandbox {
    const found = this.#all.filter(({ definition }) => definition.appId === appId && definition.name === name);
    const wanted = found.find(({ result }) => result === null) ?? (includeEnded ? found.at(-1) : undefined);
    if (wanted !== undefined) return wanted;
    throw new Refusal('NOT_FOUND', `no sandbox is named ${name.slice(0, 80)}`);
  }

  /** Newest first. */
  get all(): readonly LiveSandbox[] {
    return this.#all.toReversed();
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((sandbox) => sandbox.end(3)));
    await rm(this.#place.directory, { recursive: true, force: true });
  }

  #runningNamed({ appId, name }: Definition): LiveSandbox | undefined {
    return this.#all.find(
      ({ result, definition }) => result === null && definition.appId === appId && definition.name === name,
    );
  }

  async #start(definition: Definition): Promise<LiveSandbox> {
    const { directory, clock, images, limits } = this.#place;
    const image = images.present(definition.imageId);
    const id = unusualId();
    const home = join(directory, id);
    await mkdir(home, { recursive: true, mode: 0o700 });
    const container = await startContainer({
      id,
      directory: join(home, 'root'),
      image: image.directory,
      network: definition.network === 'open',
      env: definition.env,
      workdir: definition.workdir,
      group: await limits.make(id, { milliCores: definition.milliCores, memoryMib: definition.memoryMib }),
    });
    this.#latest = Math.max(clock.nowMs() / 1000, this.#latest + 0.001);
    const taskId = `ta-${random(22)}`;
    return new LiveSandbox({ id, taskId, createdAt: this.#latest, home, container, definition, clock, images });
  }
}

/** The SDK takes an id of `sb-` and 22 characters for one of its older kind. */
function unusualId(): string {
  return `sb-${random(26)}`;
}

function random(length: number): string {
  return randomBytes(length).toString('hex').slice(0, length);
}
