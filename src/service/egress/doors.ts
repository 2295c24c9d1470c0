/** Doors of sandboxes with a filtered network, as the processes that make and use such sandboxes see them. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Loaded } from '../../config/types.ts';
import { CaissonError } from '../../errors.ts';
import { programPath } from '../../lib/asset.ts';
import { programEnv } from '../../lib/run-program.ts';
import type { Doors } from '../../sandbox/doors.ts';
import type { EgressLists } from '../../store/egress.ts';
import type { Store } from '../../store/store.ts';
import type { OpenInput } from '../open.ts';
import { Link } from './control.ts';
import { makeDoor, makeEgressDirectory, outputOf, removeDoor } from './places.ts';

/** What the proxy is opened with. */
export type EgressInput = OpenInput & { readonly signal: AbortSignal; readonly say: (text: string) => void };

export interface DoorsParts {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Pick<Store, 'egress'>;
  /** By the configuration in force; the same object as long as nothing has changed. */
  readonly lists: () => EgressLists;
}

/** From its start until it answers; a machine may be busy. */
const startMs = 20_000;
const pauseMs = 25;

/** The section is another object once the configuration was read again. */
export function doorsIn(loaded: Loaded, store: Store): EgressDoors {
  return new EgressDoors({ home: loaded.home, env: loaded.env, store, lists: () => loaded.config.network });
}

export class EgressDoors implements Doors {
  readonly #parts: DoorsParts;
  #link: Link | null = null;
  #linking: Promise<Link> | null = null;
  /** What this process has seen open since it has the link: with which lists, by sandbox. */
  readonly #open = new Map<string, EgressLists>();

  constructor(parts: DoorsParts) {
    this.#parts = parts;
  }

  async open(sandboxId: string): Promise<string> {
    const { home, store, lists } = this.#parts;
    const wanted = lists();
    const directory = await makeDoor(home, sandboxId);
    const { allow, deny, ports, presets } = wanted;
    await store.egress.configure(sandboxId, { allow, deny, ports, presets });
    const link = await this.#linked();
    await link.sync();
    this.#open.set(sandboxId, wanted);
    return directory;
  }

  async keep(sandboxId: string): Promise<void> {
    const isKnown = this.#link?.isOpen === true && this.#open.get(sandboxId) === this.#parts.lists();
    if (!isKnown) await this.open(sandboxId);
  }

  async close(sandboxId: string): Promise<void> {
    this.#open.delete(sandboxId);
    await removeDoor(this.#parts.home, sandboxId);
  }

  /** Of this process; the proxy goes on. */
  release(): void {
    this.#link?.close();
  }

  async #linked(): Promise<Link> {
    if (this.#link?.isOpen === true) return this.#link;
    this.#open.clear();
    this.#linking ??= this.#connect().finally(() => (this.#linking = null));
    return (this.#link = await this.#linking);
  }

  /** One that is just ending is followed by the next. */
  async #connect(): Promise<Link> {
    const { home } = this.#parts;
    const there = await Link.open(home);
    if (there !== null) return there;
    await makeEgressDirectory(home);
    startProxy(this.#parts);
    const deadline = performance.now() + startMs;
    while (performance.now() < deadline) {
      const link = await Link.open(home);
      if (link !== null) return link;
      await sleep(pauseMs);
    }
    throw new CaissonError('unavailable', 'the egress proxy did not start', {
      remedy: `look at ${outputOf(home)}, or run \`caisson egress\` and see what it says`,
    });
  }
}

/** Of its own: it outlives this process, and gets nothing of its environment that could be a secret. */
function startProxy({ home, env }: DoorsParts): void {
  const output = openSync(outputOf(home), 'w', 0o600);
  try {
    const own = Object.entries(env).filter(([name]) => /^(?:CAISSON_|HERMES_|DOCKER_HOST$|CONTAINER_HOST$)/.test(name));
    const child = spawn(process.execPath, ['--', programPath, 'egress'], {
      cwd: home,
      detached: true,
      stdio: ['ignore', output, output],
      env: { ...programEnv(env), ...Object.fromEntries(own), CAISSON_HOME: home },
    });
    child.on('error', () => undefined);
    child.unref();
  } finally {
    closeSync(output);
  }
}
