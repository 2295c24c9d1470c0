/** Doors of sandboxes with a filtered network, as the processes that make and use such sandboxes see them. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Audit } from '../../audit/types.ts';
import { sourceNow } from '../../config/source.ts';
import type { Loaded } from '../../config/types.ts';
import { CaissonError } from '../../errors.ts';
import { programPath } from '../../lib/asset.ts';
import { programEnv } from '../../lib/run-program.ts';
import type { Doors } from '../../sandbox/doors.ts';
import type { EgressReading } from '../../store/egress.ts';
import type { SandboxRow, Store } from '../../store/store.ts';
import type { OpenInput } from '../open.ts';
import { changeEntry } from './audit.ts';
import { deniedNotes } from './denied.ts';
import { deniedSince } from './log.ts';
import { Link } from './control.ts';
import { makeDoor, makeEgressDirectory, outputOf, removeDoor } from './places.ts';

/** What the proxy is opened with. */
export type EgressInput = OpenInput & { readonly signal: AbortSignal; readonly say: (text: string) => void };

export interface DoorsParts {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Pick<Store, 'egress'>;
  readonly audit: Pick<Audit, 'recordSoon'>;
  /** By the configuration in force. */
  readonly reading: () => EgressReading;
}

interface Taken {
  /** Of the configuration by which this process asked. */
  readonly source: string;
  readonly revision: number;
}

/** From its start until it answers; a machine may be busy. */
const startMs = 20_000;
const pauseMs = 25;

export function doorsIn(loaded: Loaded, parts: Pick<DoorsParts, 'store' | 'audit'>): EgressDoors {
  const reading = (): EgressReading => {
    const { allow, deny, ports, presets } = loaded.config.network;
    return { lists: { allow, deny, ports, presets }, source: loaded.source };
  };
  return new EgressDoors({ home: loaded.home, env: loaded.env, ...parts, reading });
}

export class EgressDoors implements Doors {
  readonly #parts: DoorsParts;
  #link: Link | null = null;
  #linking: Promise<Link> | null = null;
  /** What the proxy has taken up since this process has the link, by sandbox. */
  readonly #open = new Map<string, Taken>();

  constructor(parts: DoorsParts) {
    this.#parts = parts;
  }

  async open(sandbox: Pick<SandboxRow, 'id' | 'taskId'>): Promise<string> {
    const { home, store, audit, reading } = this.#parts;
    const read = reading();
    const directory = await makeDoor(home, sandbox.id);
    const { row, before } = await store.egress.configure(sandbox.id, read, () => sourceNow(home) === read.source);
    const change = changeEntry(sandbox, before, row);
    if (change !== null) audit.recordSoon(change);
    const link = await this.#linked();
    await link.sync();
    this.#open.set(sandbox.id, { source: read.source, revision: row.revision });
    return directory;
  }

  /** Another process may have written other rules since. */
  async keep(sandbox: Pick<SandboxRow, 'id' | 'taskId'>): Promise<void> {
    const { home, store, reading } = this.#parts;
    const { source } = reading();
    const known = this.#link?.isOpen === true ? this.#open.get(sandbox.id) : undefined;
    const row = known?.source === source ? await store.egress.of(sandbox.id) : null;
    const isTaken = row !== null && row.revision === known?.revision;
    if (!isTaken || (row.source !== source && sourceNow(home) === source)) await this.open(sandbox);
  }

  async denied(sandboxId: string, sinceMs: number): Promise<readonly string[]> {
    return deniedNotes(await deniedSince(this.#parts.home, sandboxId, sinceMs));
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
