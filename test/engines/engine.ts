/** Starts a private Docker engine for one test run. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { engineCache } from './places.ts';
import { findCommand, rootPrefix, systemPath } from './privileges.ts';

/**
 * `btrfs` enforces disk limits; `plain` has whatever storage driver fits the disk of the cache; `respawning` is a plain
 * one that is started again whenever it ends, and keeps containers running meanwhile (`live-restore`).
 */
export type EngineKind = 'plain' | 'btrfs' | 'respawning';

export interface Engine {
  /** Address in the form of `DOCKER_HOST`. */
  readonly host: string;
  /** Ends the engine and what runs on it. Idempotent. */
  stop(): Promise<void>;
}

/** Runs at the same time each take a slot of their own, with its own data root. */
const slots = 8;
const lockedCode = 75;
const keeper = fileURLToPath(new URL('keeper.ts', import.meta.url));

/** Why no engine can be started here, with what to do. `null`: it should work. */
export async function whyNoEngine(kind: EngineKind): Promise<string | null> {
  if (process.platform !== 'linux')
    return 'private engines need Linux; set CAISSON_TEST_DOCKER_HOST to an engine that tests may use';
  const wanted = ['dockerd', 'ip', 'iptables', 'unshare', 'flock', ...(kind === 'btrfs' ? ['mkfs.btrfs'] : [])];
  const missing = wanted.filter((name) => findCommand(name) === null);
  if (missing.length > 0) return `${missing.join(', ')} not found: run \`npm run engines\``;
  const prefix = await rootPrefix();
  if (prefix === null)
    return 'not root, and sudo asks for a password: run the tests as root, or set CAISSON_TEST_DOCKER_HOST';
  if (!(await mayUnshare(prefix)))
    return 'root may not make namespaces here, as in a container: set CAISSON_TEST_DOCKER_HOST';
  return null;
}

async function mayUnshare(prefix: readonly string[]): Promise<boolean> {
  const [command = '', ...rest] = [...prefix, 'unshare', '--net', '--mount', 'true'];
  try {
    await promisify(execFile)(command, rest);
    return true;
  } catch {
    return false; // The kernel's answer is the one that counts, and there is only one reason for a no.
  }
}

/** Rejects with what the daemon said when it does not come up. */
export async function startEngine(kind: EngineKind): Promise<Engine> {
  const prefix = await rootPrefix();
  if (prefix === null) throw new Error('a private engine needs root');
  for (let slot = 0; slot < slots; slot++) {
    const engine = await startInSlot(prefix, kind, join(engineCache(), `docker-${kind}-${slot}`));
    if (engine !== null) return engine;
  }
  throw new Error(`${slots} test runs hold all private engines in ${engineCache()}`);
}

/** `null` when another run holds the slot. */
async function startInSlot(prefix: readonly string[], kind: EngineKind, slot: string): Promise<Engine | null> {
  mkdirSync(slot, { recursive: true });
  const locked = ['flock', '--nonblock', '--no-fork', '--conflict-exit-code', String(lockedCode), join(slot, 'lock')];
  const kept = [process.execPath, keeper, slot, kind, String(process.getgid?.() ?? 0)];
  const [command = '', ...rest] = [...prefix, ...locked, ...kept];
  // In a session of its own: Ctrl-C must reach it as the end of its owner, not as a signal in the middle of a start.
  const child = spawn(command, rest, {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    env: { ...process.env, PATH: systemPath },
  });
  const exited = once(child, 'exit');
  const line = await firstLine(child);
  if (line === null) await exited;
  if (child.exitCode === lockedCode) return null;
  const answer: unknown = JSON.parse(line ?? '{"error":"its keeper ended at once"}');
  if (!isAnswer(answer)) throw new Error(`test engine in ${slot}: ${line}`);
  return { host: answer.host, stop: () => end(child, exited) };
}

async function firstLine(child: ChildProcess): Promise<string | null> {
  if (child.stdout === null) return null;
  for await (const line of createInterface({ input: child.stdout })) return line;
  return null;
}

function isAnswer(answer: unknown): answer is { host: string } {
  return typeof answer === 'object' && answer !== null && 'host' in answer && typeof answer.host === 'string';
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.stdin?.end();
  await exited;
}
