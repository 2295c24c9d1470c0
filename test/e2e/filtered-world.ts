/** A task whose network is filtered, its service as a process, and a loop that asks for an allowed and for a forbidden origin. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Home } from './home.ts';
import { type Service, start, tokenIn } from './http-service.ts';
import { askFor, type Origins } from './origins.ts';

const taskId = 'loops';
const sandboxPath = `/v1/sandboxes/${taskId}`;
const patience = { timeout: 40_000, interval: 100 };

interface FilteredPlace {
  readonly home: Home;
  readonly origins: Origins;
  /** The section `terminal` of the configuration. */
  readonly terminal: string;
}

export class World implements AsyncDisposable {
  readonly home: Home;
  readonly #place: FilteredPlace;
  readonly #forbiddenBefore: number;
  #service: Service;
  sandbox: { readonly id: string; readonly name: string } = { id: '', name: '' };

  private constructor(place: FilteredPlace, service: Service) {
    this.home = place.home;
    this.#place = place;
    this.#service = service;
    this.#forbiddenBefore = place.origins.dials(place.origins.address(3));
  }

  static async open(place: FilteredPlace): Promise<World> {
    configure(place);
    const service = await start(place.home, await tokenIn(place.home, 'run', 'read', 'admin'));
    const world = new World(place, service);
    const made = await world.#ask('/v1/sandboxes', { taskId, network: 'filtered' });
    world.sandbox = Object(JSON.parse(made)).sandbox;
    return world;
  }

  /** It outlives the service, and ends with the sandbox. */
  async loop(): Promise<void> {
    const ask = (number: number): string => askFor(this.#place.origins.place(number), { seconds: 0.5 });
    const text = `while true; do ${ask(2)}; ${ask(3)}; done >/dev/null 2>&1`;
    await this.#ask(`${sandboxPath}/processes`, { command: ['sh', '-c', text] });
  }

  use(): Promise<string> {
    return this.#ask(`${sandboxPath}/execs`, { command: ['echo', 'used'] });
  }

  /** How often the loop got through. */
  allowed(): number {
    return this.#place.origins.dials(this.#place.origins.address(2));
  }

  /** How often it was refused, by the record. */
  denied(): number {
    const path = join(this.home.path, 'egress/log', `${this.sandbox.id}.ndjson`);
    return existsSync(path) ? readFileSync(path, 'utf8').split('"verdict":"deny"').length - 1 : 0;
  }

  /** Connections that the forbidden origin has seen. */
  forbidden(): number {
    return this.#place.origins.dials(this.#place.origins.address(3)) - this.#forbiddenBefore;
  }

  /** No proxy starts by a file that cannot be read, and the service does not read it. */
  spoilConfig(): void {
    writeFileSync(join(this.home.path, 'config.yaml'), 'network: broken', { mode: 0o600 });
  }

  mendConfig(): void {
    configure(this.#place);
  }

  async killService(): Promise<void> {
    await this.#service.stop('SIGKILL');
  }

  async startService(): Promise<void> {
    this.#service = await start(this.home, this.#service.token);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#ask(sandboxPath, undefined, 'DELETE');
    } finally {
      await this.#service.stop();
      await this.home[Symbol.asyncDispose]();
    }
  }

  async #ask(path: string, body?: unknown, method = 'POST'): Promise<string> {
    const how = { body, method, accept: 'application/json' };
    const answer = await this.#service.ask(path, how);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  }
}

function configure({ home, origins, terminal }: FilteredPlace): void {
  const places = [2, 3].map((number) => `"${origins.place(number)}"`).join(', ');
  const network = `{allow_private: [${places}], allow: ["${origins.place(2)}"]}`;
  const text = `terminal: ${terminal}\nnetwork: ${network}\napprovals: {mode: "off"}\nserver: {shutdown_seconds: 4}\n`;
  writeFileSync(join(home.path, 'config.yaml'), text, { mode: 0o600 });
}

/** Both kinds of requests are made, and judged as they must be, from now on. */
export async function isFiltered(world: World): Promise<void> {
  const [allowed, denied] = [world.allowed(), world.denied()];
  await expect.poll(() => world.allowed(), patience).toBeGreaterThan(allowed + 1);
  await expect.poll(() => world.denied(), patience).toBeGreaterThan(denied + 1);
  expect(world.forbidden()).toBe(0);
}

/** For some seconds, though the loop goes on. */
export async function isCutOff(world: World): Promise<void> {
  await sleep(500);
  const allowed = world.allowed();
  await sleep(3000);
  expect([world.allowed(), world.forbidden()]).toEqual([allowed, 0]);
}
